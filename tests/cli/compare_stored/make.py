"""Writes NAME.jsonl: records of made-up samples, the same ones each time."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sealed import sealed


def record(workload, solution, ns, control=1000.0, machine="m1", cache="warm", status="PASSED", count=100,
           engine=None):
    samples = [ns * (1 + 0.002 * ((i * 37) % 11 - 5) / 5) for i in range(count)]
    timing = {"clock": "worker", "cache": cache, "median_ns": ns, "p10_ns": min(samples), "calls_per_sample": 10,
              "samples_ns": samples, "threads": 1}
    if engine:
        timing["engine"] = engine
    if control:
        timing["control_ns"] = [control, control]
    basis = {"definition": "d", "workload": "w", "solution": "s", "flags": [], "machine": machine}
    details = {"version": 2, "rule": "kbench", "trust": "plain", "isolation": "A", "seed": "0", "trials": 3,
               "basis": basis, "timing": timing}
    evaluation = {"status": status, "environment": {"hardware": "CPU", "libs": {}}, "timestamp": "2026-01-01T00:00:00",
                  "log": "", "kbench": details}
    if status == "PASSED":
        evaluation["correctness"] = {"max_relative_error": 0, "max_absolute_error": 0}
        evaluation["performance"] = {"latency_ms": ns * 1e-6, "reference_latency_ms": 1, "speedup_factor": 1}
    return {"definition": "rmsnorm_h128", "workload": {"axes": {"batch_size": workload}, "inputs": {}, "uuid": f"u{workload}"},
            "solution": solution, "evaluation": evaluation}


def changed(line, details):
    """With other values below evaluation.kbench."""
    for key, value in details.items():
        if isinstance(value, dict):
            line["evaluation"]["kbench"][key].update(value)
        else:
            line["evaluation"]["kbench"][key] = value
    return line


files = {
    "old": [record(1, "a", 5000), record(1, "a", 1000), record(2, "a", 2000), record(3, "a", 3000)],
    "new": [record(1, "a", 900), record(2, "a", 2002), record(3, "a", 3300)],
    "drifted": [record(1, "a", 1010, control=1030), record(2, "a", 1000, control=1030)],
    "silent": [record(1, "a", 900, control=None)],
    "other": [record(1, "b", 900, machine="m2"), record(2, "b", 1900, machine="m2")],
    "cold": [record(1, "a", 900, cache="cold")],
    "engine": [record(1, "a", 900, engine="google-benchmark")],
    "zeros": [changed(record(1, "a", 900), {"timing": {"samples_ns": [0.0] * 100}})],
    "empty": [changed(record(1, "a", 900), {"timing": {"samples_ns": []}})],
    "edited": [changed(record(1, "a", 900), {"digest": "0" * 64}), record(2, "a", 1990)],
    "shapes": [changed(record(1, "a", 900), {"basis": {"workload": "another"}})],
    "serial": [changed(record(1, "a", 900), {"timing": {"serial": True}})],
    "nowhere": [changed(record(1, "a", 900), {"basis": {"machine": ""}})],
    "wrong": [record(1, "a", 900, status="INCORRECT_NUMERICAL")],
    "crashed": [record(1, "a", 900, status="RUNTIME_ERROR"), record(2, "a", 1990), record(3, "a", 3010)],
}
for name in sys.argv[1:]:
    with open(f"{name}.jsonl", "w", encoding="utf-8") as file:
        for line in files[name]:
            is_edited = "digest" in line["evaluation"]["kbench"]
            file.write((json.dumps(line) if is_edited else sealed(line)) + "\n")
