"""Writes results.jsonl: records of made-up samples of three solutions on three workloads."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sealed import sealed

LINES = []


def add(solution, workload, ns, status="PASSED", trust="audit", hardware="A CPU", timestamp="2026-11-21T12:00:00"):
    def around(middle):
        return [middle * (0.99 + 0.0002 * i) for i in range(101)]

    details = {"version": 2, "rule": "kbench", "trust": trust, "isolation": "A", "seed": "0", "trials": 3}
    evaluation = {"status": status, "environment": {"hardware": hardware, "libs": {}}, "timestamp": timestamp, "log": "",
                  "kbench": details}
    if status == "PASSED":
        details["timing"] = {"clock": "judge", "cache": "fresh", "median_ns": ns, "interval_ns": [ns * 0.999, ns * 1.001],
                             "p10_ns": ns * 0.992, "calls_per_sample": 1, "samples_ns": around(ns), "reference_median_ns": 4000,
                             "reference_interval_ns": [3996, 4004], "reference_samples_ns": around(4000),
                             "speedup": {"ratio": 4000 / ns, "interval": [3980 / ns, 4020 / ns], "how": "in turn",
                                         "pairs": 40, "evaluator": "libtorch", "threads": 1}}
        evaluation["correctness"] = {"max_relative_error": 0, "max_absolute_error": 0, "extra": {"margin": 0.31}}
        evaluation["performance"] = {"latency_ms": ns * 1e-6, "reference_latency_ms": 4e-3, "speedup_factor": 4000 / ns}
    LINES.append({"definition": "rmsnorm_h128", "workload": {"axes": {"batch_size": workload}, "inputs": {}, "uuid": f"w{workload}"},
                  "solution": solution, "evaluation": evaluation})


for n in (1, 2, 3):
    add("kbench_rmsnorm_h128", n, 1000)
    add("plain_rmsnorm_h128", n, 2000 if n < 3 else 8000)
add("baseline_rmsnorm_h128", 1, 1000.2)
add("baseline_rmsnorm_h128", 2, 0, status="INCORRECT_SHAPE")
add("plain_rmsnorm_h128", 1, 500, trust="plain")
add("plain_rmsnorm_h128", 1, 400, hardware="B GPU")
with open("results.jsonl", "w", encoding="utf-8") as file:
    file.writelines(sealed(line) + "\n" for line in LINES)
