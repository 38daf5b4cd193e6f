"""Made-up records, the same ones each time: a file of traces for a report."""

import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from sealed import sealed

NAMES = ["plain", "quick", "vector", "wrong", "<img src=x onerror=alert(1)>", "</script><b>bold"]


def record(draw, definition, size, solution, status="PASSED"):
    uuid = f"{definition}_{size}"
    ns = 40 * size * {"quick": 0.5, "vector": 0.7}.get(solution, 1) + 300
    samples = [ns * math.exp(draw.gauss(0, 0.02)) for _ in range(60)]
    reference = ns * 2.2
    details = {"version": 2, "rule": "kbench", "trust": "plain", "isolation": "A", "seed": "0", "trials": 3,
               "work": {"flops": 8.0 * size, "bytes": 12 * size}}
    evaluation = {"status": status, "environment": {"hardware": "A CPU", "libs": {}},
                  "timestamp": "2026-01-01T00:00:00", "log": "", "kbench": details}
    if status == "PASSED":
        ordered = sorted(samples)
        details["timing"] = {"clock": "worker", "cache": "warm", "median_ns": ordered[30], "p10_ns": ordered[6],
                             "interval_ns": [ordered[22], ordered[38]], "calls_per_sample": 10, "samples_ns": samples,
                             "roofline": {"bound_ns": ns / 4, "bound_by": "memory", "least_ns": 1},
                             "reference_median_ns": reference,
                             "speedup": {"ratio": reference / ordered[30], "interval": [reference / ordered[30] * 0.98,
                                         reference / ordered[30] * 1.02], "how": "in turn", "pairs": 40,
                                         "evaluator": "libtorch", "threads": 1}}
        evaluation["correctness"] = {"max_relative_error": 1e-6, "max_absolute_error": 1e-7}
        evaluation["performance"] = {"latency_ms": ordered[30] * 1e-6, "reference_latency_ms": reference * 1e-6,
                                     "speedup_factor": reference / ordered[30]}
    else:
        details["cause"] = "output y: element [3] is off <by a lot>\nsecond line"
        if status == "INCORRECT_NUMERICAL":
            evaluation["correctness"] = {"max_relative_error": "NaN", "max_absolute_error": 0.25}
            details["error_map"] = {"output": "y", "shape": [4, size], "rows": ["." * size, "." * (size - 1) + "#"]}
    return {"definition": definition, "workload": {"axes": {"n": size, "batch": 4}, "inputs": {}, "uuid": uuid},
            "solution": solution, "evaluation": evaluation}


def records(sizes):
    """Yields records of two definitions and six solutions each: 12 times as many as `sizes`."""
    draw = random.Random(1)
    for definition in ("softmax_n1024", "rmsnorm_h128"):
        for size in sizes:
            for solution in NAMES:
                status = "PASSED"
                if solution == "wrong":
                    status = "INCORRECT_NUMERICAL" if size % 2 else "RUNTIME_ERROR"
                yield record(draw, definition, size, solution, status)


def write(path, sizes):
    with open(path, "w", encoding="utf-8") as file:
        for line in records(sizes):
            file.write(sealed(line) + "\n")
