"""check SET [DEFINITION…]: how far each program of a set is from the truth, and whether that is visible.

No verdict is asked for. The inputs are those of `kbench run` on random numbers (its first input set). Errors
are in units of the largest element of the answer's last axis. A wrong program's effect is visible on a seed
where, in one of four measures of one output, it is more than three times as far from the truth as every
right program is on any seed, and than a floor, in unit roundoffs u of the output's dtype (one more rounding
of each element, or of one factor of all, makes as much):
  largest   the largest error                          floor 1 u
  rms       the root of the mean square                floor 0.1 u
  mean      the mean signed error (towards 0 or not)   floor 0.1 u
  apart     share of elements that are not the truth's, of integers, bools and 8-bit dtypes; floor 0.002
Writes SET/hidden.json: {definition: {program: [seeds on which its effect is not visible]}}.
"""

import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs import (DLPACK, NAMES, SEEDS, TRUTH, Program, kbench, load, programs, read_safetensors,
                      solution_name, write_trace_set)

NUMPY = {"F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "BOOL": "?"}
ROUNDOFF = {"F32": 2.0**-24, "F16": 2.0**-11, "BF16": 2.0**-8, "F8_E4M3": 2.0**-4, "F8_E5M2": 2.0**-3}
FLOORS = {"largest": 1.0, "rms": 0.1, "mean": 0.1}
FACTOR = 3
APART = 0.002


def float8(bits_of_exponent, highest):
    """The numbers of the 256 codes (OCP 8-bit floating point); `highest` is that above which there is NaN."""
    codes = np.arange(256)
    fraction = 7 - bits_of_exponent
    exponent = (codes & 127) >> fraction
    part = (codes & ((1 << fraction) - 1)) / (1 << fraction)
    bias = 2 ** (bits_of_exponent - 1) - 1
    numbers = np.where(exponent == 0, part * 2.0 ** (1 - bias), (1 + part) * 2.0 ** (exponent - bias))
    numbers = np.where(numbers > highest, np.nan, numbers)
    return np.where(codes & 128, -numbers, numbers)


FLOAT8 = {"F8_E4M3": float8(4, 448), "F8_E5M2": float8(5, 57344)}


def values(dtype, shape, data):
    """The numbers of a tensor as doubles."""
    if dtype in FLOAT8:
        flat = FLOAT8[dtype][np.frombuffer(data, np.uint8)]
    elif dtype == "BF16":
        flat = (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    else:
        flat = np.frombuffer(data, NUMPY[dtype])
    return flat.astype(np.float64).reshape(shape)


def distance(dtype, got, truth):
    """The measures of one output."""
    same = (got == truth) | (np.isnan(got) & np.isnan(truth))
    out = {"apart": float((~same).mean()) if truth.size else 0.0}
    if dtype not in ROUNDOFF or not truth.size:
        return out | dict.fromkeys(FLOORS, 0.0)
    unit = np.abs(np.nan_to_num(truth, nan=0, posinf=0, neginf=0))
    unit = np.maximum(unit.max(-1, keepdims=True) if unit.ndim else unit, 1e-300)
    error = np.where(same, 0.0, np.nan_to_num(got - truth, nan=1e30, posinf=1e30, neginf=-1e30) / unit)
    error = np.clip(error * np.where(truth < 0, -1.0, 1.0) / ROUNDOFF[dtype], -1e30, 1e30)
    return out | {"largest": float(np.abs(error).max()), "rms": float(np.sqrt(np.square(error).mean())),
                  "mean": float(abs(error.mean()))}


def measures(dtype):
    exact = dtype not in ROUNDOFF
    return (["apart"] if exact or DLPACK[dtype][1] == 8 else []) + ([] if exact else list(FLOORS))


def inputs_of(task, root, seed):
    """The inputs of the first random set, in the definition's order, and what the reference says."""
    out = root / f"out{seed}"
    name = task["definition"]["name"]
    kbench(root, "run", "-q", "-d", name, "-s", solution_name(task, TRUTH), "--seed", seed, "--out", out,
           "--budget", 0.0001, "--no-profile-baseline", "--rule", "flashinfer-bench")
    file = next((out / "traces").rglob(f"{name}.jsonl"))
    record = json.loads(file.read_text().splitlines()[0])
    dump = root / f"dump{seed}" / name
    kbench(root, "replay", file, "--dump", dump)
    (where,) = [path.parent for path in dump.rglob("inputs.safetensors")]
    tensors = read_safetensors(where / "inputs.safetensors")
    given = []
    for key, spec in task["definition"]["inputs"].items():
        source = record["workload"]["inputs"][key]
        given.append(source["value"] if source["type"] == "scalar" else tensors[key])
    return given, read_safetensors(where / "reference.safetensors")


def outputs_of(task, reference):
    return [(NAMES[spec["dtype"]], reference[name][1]) for name, spec in task["definition"]["outputs"].items()]


def far(task, program, given, truth, outputs):
    got = program.call(given, outputs)
    return [distance(dtype, values(dtype, shape, data), best)
            for (dtype, shape), data, best in zip(outputs, got, truth)]


def is_visible(distances, limits, outputs):
    return any(d[m] > limit[m] for d, limit, (dtype, _) in zip(distances, limits, outputs) for m in measures(dtype))


def limits_of(right, outputs):
    """Beyond which an effect is visible: `right` holds the distances of each right program on each seed."""
    limits = []
    for i, (dtype, _) in enumerate(outputs):
        worst = {m: max(d[i][m] for d in right) for m in measures(dtype)}
        limits.append({m: FACTOR * max(w, FLOORS.get(m, APART)) for m, w in worst.items()})
    return limits


def summary(distances, outputs):
    return "  ".join(" ".join(f"{m} {d[m]:.3g}" for m in measures(dtype)) for d, (dtype, _) in zip(distances, outputs))


def check_task(folder, task, root, seeds):
    """Prints the distances; returns {program: [seeds on which it is hidden]} of the wrong ones that are."""
    write_trace_set(folder, [task], root, only_truth=True)
    built = {name: Program(folder, task, flags, root / f"{solution_name(task, name)}.so")
             for name, _, flags in programs(task)}
    given, truths, found = {}, {}, {}
    for seed in seeds:
        given[seed], reference = inputs_of(task, root, seed)
        outputs = outputs_of(task, reference)
        raw = built[TRUTH].call(given[seed], outputs)
        truths[seed] = [values(dtype, shape, data) for (dtype, shape), data in zip(outputs, raw)]
        stated = [distance(dtype, values(*reference[name]), best) for (dtype, _), best, name in
                  zip(outputs, truths[seed], task["definition"]["outputs"])]
        if seed == seeds[0]:
            print(f"{task['definition']['name']}\n  the reference   {summary(stated, outputs)}")
        for name, _, _ in task["programs"]:
            found[name, seed] = far(task, built[name], given[seed], truths[seed], outputs)
    limits = limits_of([found[name, seed] for name, is_right, _ in task["programs"] if is_right for seed in seeds],
                       outputs)
    hidden = {}
    for name, is_right, _ in task["programs"]:
        unseen = [seed for seed in seeds if not is_visible(found[name, seed], limits, outputs)]
        if unseen and not is_right:
            hidden[name] = unseen
        note = "right" if is_right else f"wrong, visible on {len(seeds) - len(unseen)} of {len(seeds)}"
        print(f"  {name}: {note}   {summary(found[name, seeds[0]], outputs)}")
    return hidden


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set")
    parser.add_argument("definitions", nargs="*")
    parser.add_argument("--quick", action="store_true", help="one seed; hidden.json stays as it is")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.set).resolve()
    hidden = {}
    with tempfile.TemporaryDirectory() as root:
        for task in load(folder):
            name = task["definition"]["name"]
            if arguments.definitions and name not in arguments.definitions:
                continue
            place = pathlib.Path(root, name)
            place.mkdir()
            seeds = SEEDS[:1] if arguments.quick else SEEDS
            if found := check_task(folder, task, place, seeds):
                hidden[name] = found
    if not arguments.quick and not arguments.definitions:
        (folder / "hidden.json").write_text(json.dumps(hidden, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
