"""FlashInfer-Bench's data set of mid-2025."""

import json

import flashinfer_2025
from foreign import read_texts

DEFINITION = {"name": "op_n8", "type": "op",
              "axes": {"M": {"type": "var", "parent": "B"}, "N": {"type": "const", "value": 8}},
              "inputs": {"a": {"shape": ["M", "N"], "dtype": "float32"}, "s": {"shape": [], "dtype": "float32"}},
              "outputs": {"y": {"shape": ["M"], "dtype": "float32"}}, "reference": "def run(a, s):\n    return {'y': a}\n"}


def with_workload(axes, inputs=None, **more):
    line = {"definition": "op_n8", "workload": {"axes": axes, "inputs": inputs or {}}, **more}
    return read_texts(flashinfer_2025, {"d.json": json.dumps(DEFINITION), "t.jsonl": json.dumps(line)})


def definitions_get_todays_keys():
    imported = read_texts(flashinfer_2025, {"d.json": json.dumps(DEFINITION)})
    definition, = imported.definitions
    assert definition["op_type"] == "op" and definition["inputs"]["s"]["shape"] is None
    assert imported.has('warning: "parent" is not carried over')
    assert imported.has('info: input "s" of shape [] is a number')


def an_input_that_workloads_store_stays_a_tensor():
    stored = {"format": "safetensors", "path": "p", "tensor_key": "s"}
    imported = with_workload({"M": 2}, {"s": stored}, solution="", evaluation={})
    assert imported.definitions[0]["inputs"]["s"]["shape"] == []
    assert imported.traces[0]["workload"]["inputs"]["s"] == {"type": "safetensors", "path": "p", "tensor_key": "s"}


def a_workload_has_no_solution_and_a_uuid_of_its_content():
    trace, = with_workload({"M": 2, "N": 8}, solution="", evaluation={}).traces
    assert trace["solution"] is None and trace["evaluation"] is None
    assert trace["workload"]["axes"] == {"M": 2} and len(trace["workload"]["uuid"]) == 36
    again, other = with_workload({"M": 2, "N": 8}).traces[0], with_workload({"M": 3}).traces[0]
    assert trace["workload"]["uuid"] == again["workload"]["uuid"] != other["workload"]["uuid"]


def a_const_axis_of_another_length_stays_for_the_check():
    assert with_workload({"M": 2, "N": 9}).traces[0]["workload"]["axes"] == {"M": 2, "N": 9}


def evaluations_keep_all_but_the_log_file():
    evaluation = {"status": "PASSED", "log_file": "x.log", "correctness": {"max_relative_error": 0.5},
                  "performance": {"latency_ms": 1}, "environment": {"device": "B200", "libs": {}}, "timestamp": "t"}
    imported = with_workload({"M": 2}, solution="s", evaluation=evaluation)
    del evaluation["log_file"]
    evaluation["environment"] = {"hardware": "B200", "libs": {}}
    assert imported.traces[0]["evaluation"] == evaluation
    assert imported.has('warning: "log_file" is not carried over')


def solutions_get_language_entry_file_and_style():
    head = {"definition": "d", "author": "me"}
    first = {**head, "name": "s", "sources": [{"path": "x.cu", "content": "x"}], "spec": {
        "language": "CUDA", "target_hardware": ["H100"], "entry_point": "run", "build_steps": [], "build_commands": ["make"]}}
    second = {**head, "name": "t", "sources": [{"path": "main.py", "content": "x"}, {"path": "b.py", "content": "x"}],
              "spec": {"language": "Triton", "target_hardware": ["H100"], "entry_point": "run"}}
    imported = read_texts(flashinfer_2025, {"solutions.json": json.dumps([first, second])})
    cuda, triton = (one["spec"] for one in imported.solutions)
    assert cuda == {"language": "cuda", "target_hardware": ["H100"], "entry_point": "x.cu::run", "binding": "torch",
                    "destination_passing_style": False}
    assert triton["language"] == "triton" and "binding" not in triton and triton["entry_point"] == "main.py::run"
    assert imported.has('warning: "build_commands" is not carried over') and not imported.has("build_steps")
