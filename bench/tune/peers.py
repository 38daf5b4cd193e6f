"""What bench/tune/space and bench/tune/replay share: the two programs, recorded spaces, rows."""

import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BIN = pathlib.Path(os.environ.get("KBENCH_BUILD", ROOT / "build")).resolve() / "bin"
PEER = os.environ.get("KBENCH_KERNEL_TUNER")
WORDS = {"C": "CompilationFailedConfig", "R": "RuntimeFailedConfig"}


def line(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return json.loads(done.stdout)


def ours(*words):
    return line([BIN / "tune_bench", *words])


def theirs(*words):
    """None without a Kernel Tuner."""
    return line([PEER, HERE / "kernel_tuner_peer.py", *words]) if PEER else None


def say_peer():
    if not PEER:
        print("Kernel Tuner is not measured: KBENCH_KERNEL_TUNER names no python3 that has it "
              "(bench/tune/requirements.txt)")


def write_recorded(name, folder):
    """A cache file of Kernel Tuner, made of tests/tune/recorded/<name>.txt (its README)."""
    with open(ROOT / "tests/tune/recorded" / f"{name}.txt") as file:
        cache = json.loads(file.readline())
        words = file.read().split()
    entries = {}
    for values, word in zip(itertools.product(*cache["tune_params"].values()), words, strict=True):
        if word != "-":
            time = WORDS.get(word) or float(word)
            entries[",".join(map(str, values))] = dict(zip(cache["tune_params"], values), time=time)
    cache["cache"] = entries
    path = pathlib.Path(folder) / f"{name}.json"
    path.write_text(json.dumps(cache))
    return path


def mean_text(values):
    """With half of its 95 % interval."""
    half = 1.96 * statistics.stdev(values) / len(values) ** 0.5
    return f"{statistics.mean(values):.3f} ± {half:.3f}"


def limit_text(is_held):
    return "held" if is_held else "NOT HELD"
