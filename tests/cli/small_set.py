"""A trace set here, for cases: a matrix product `mm_n8`, its workload m4k16, and solutions."""
import json
import pathlib

MM = {"name": "mm_n8", "op_type": "mm", "axes": {"M": {"type": "var"}, "K": {"type": "var"}, "N": {"type": "const", "value": 8}},
      "inputs": {"x": {"shape": ["M", "K"], "dtype": "float32"}, "w": {"shape": ["K", "N"], "dtype": "float32"}},
      "outputs": {"y": {"shape": ["M", "N"], "dtype": "float32"}}, "reference": "def run(x, w):\n    return x @ w\n"}


def definition(said=MM, axes=None, inputs=None, uuid="m4k16"):
    """A definition, and a workload of random inputs but those of `inputs`."""
    folder = pathlib.Path(said["op_type"])
    name = said["name"]
    place = "definitions" / folder / f"{name}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(said))
    drawn = {one: {"type": "random"} for one in said["inputs"]} | {
        one: {"type": "scalar", "value": value} for one, value in (inputs or {}).items()}
    lines = "workloads" / folder / f"{name}.jsonl"
    lines.parent.mkdir(parents=True, exist_ok=True)
    workload = {"uuid": uuid, "axes": axes or {"M": 4, "K": 16}, "inputs": drawn}
    with lines.open("a") as out:
        out.write(json.dumps({"definition": name, "workload": workload, "solution": None, "evaluation": None}) + "\n")


def solution(name, text, sidecar="", of=MM, language="python", hardware=("cpu",), **spec):
    folder = pathlib.Path("solutions/me") / of["op_type"] / of["name"]
    folder.mkdir(parents=True, exist_ok=True)
    file = {"python": "main.py", "cpp": "main.cpp", "cuda": "main.cu"}[language]
    said = {"language": language, "target_hardware": list(hardware), "entry_point": f"{file}::run",
            "destination_passing_style": language != "python", **spec}
    (folder / f"{name}.json").write_text(json.dumps({"name": name, "definition": of["name"], "author": "me", "spec": said,
                                                     "sources": [{"path": file, "content": text}]}))
    if sidecar:
        (folder / f"{name}.kbench.yaml").write_text(sidecar + "\n")


def traces(name, *times, of=MM, stamp="2026-01-02T03:04:05.000000"):
    """Records as FlashInfer-Bench writes them: latency, reference, speed-up."""
    for solution_name, latency, reference, speedup, *stamps in times:
        workload = {"uuid": "m4k16", "axes": {"M": 4, "K": 16}, "inputs": {"x": {"type": "random"}, "w": {"type": "random"}}}
        evaluation = {"status": "PASSED", "log": "", "environment": {"hardware": "CPU", "libs": {}},
                      "timestamp": stamps[0] if stamps else stamp,
                      "correctness": {"max_relative_error": 0.0, "max_absolute_error": 0.0},
                      "performance": {"latency_ms": latency, "reference_latency_ms": reference, "speedup_factor": speedup}}
        with open(name, "a") as out:
            out.write(json.dumps({"definition": of["name"], "workload": workload, "solution": solution_name,
                                  "evaluation": evaluation}) + "\n")
