"""What tune_bench (main.cpp) does, by Kernel Tuner: one line of JSON, of the same shape. Run by its own python.

kernel_tuner_peer.py space FILE
kernel_tuner_peer.py replay FILE STRATEGY SEEDS AT…
"""

import contextlib
import io
import json
import random
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import numpy
from kernel_tuner import tune_kernel
from kernel_tuner.searchspace import Searchspace


def space(path):
    with open(path) as file:
        spec = json.load(file)
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        size = Searchspace(spec["parameters"], list(spec["restrictions"]), 1 << 30).size
        seconds.append(time.perf_counter() - begin)
    return {"configurations": size, "seconds": seconds}


class Cache:
    """A cache file in simulation mode; the configurations in it are all that there are."""

    def __init__(self, path):
        self.path = path
        with open(path) as file:
            self.data = json.load(file)
        self.names = self.data["tune_params_keys"]
        self.entries = self.data["cache"].values()
        names = ", ".join(self.names)
        known = {"known": {self.key(entry) for entry in self.entries}}
        exec(f"def is_known({names}): return ({names},) in known", known)  # Kernel Tuner asks by names
        self.is_known = known["is_known"]

    def key(self, entry):
        return tuple(entry[name] for name in self.names)

    def times(self):
        return [entry["time"] for entry in self.entries if isinstance(entry["time"], (int, float))]

    def run(self, strategy, evaluations, seed):
        """The results in order, each configuration once, and the seconds that it took."""
        random.seed(seed)
        numpy.random.seed(seed)
        size = self.data["problem_size"]
        options = {} if strategy == "brute_force" else {"max_fevals": evaluations}
        with contextlib.redirect_stdout(io.StringIO()):
            begin = time.perf_counter()
            results, _ = tune_kernel(self.data["kernel_name"], "", tuple(size) if isinstance(size, list) else size, [],
                                     self.data["tune_params"], restrictions=self.is_known, strategy=strategy,
                                     strategy_options=options, cache=self.path, simulation_mode=True, quiet=True)
            seconds = time.perf_counter() - begin
        unique = {self.key(result): result for result in reversed(results)}
        order = dict.fromkeys(self.key(result) for result in results)
        return [unique[key] for key in order], seconds


def fractions(cache, strategy, seed, at, optimum):
    results, seconds = cache.run(strategy, at[-1], seed)
    times = [None if "__error__" in result else result["time"] for result in results]
    found = []
    for n in at:
        good = [one for one in times[:n] if isinstance(one, (int, float))]
        found.append(optimum / min(good) if good else 0)
    return found, len(results), seconds


def replay(path, strategy, seeds, *at):
    cache = Cache(path)
    at = [int(n) for n in at]
    optimum = min(cache.times())
    fixed = min(cache.run("random_sample", 1, seed)[1] for seed in range(5))  # reading, and the space
    results, seconds = cache.run("brute_force", 0, 0)
    runs = [fractions(cache, strategy, seed, at, optimum) for seed in range(int(seeds))]
    _, evaluations, shortest = min(runs, key=lambda run: run[2])
    return {"configurations": len(cache.entries), "optimum": optimum, "whole_per_s": pace(len(results), seconds, fixed),
            "part_per_s": pace(evaluations, shortest, fixed), "fractions": [run[0] for run in runs]}


def pace(evaluations, seconds, fixed):
    """None where what is not counted is nearly all that there is."""
    return evaluations / (seconds - fixed) if seconds > 1.1 * fixed else None


if __name__ == "__main__":
    print(json.dumps({"space": space, "replay": replay}[sys.argv[1]](*sys.argv[2:])))
