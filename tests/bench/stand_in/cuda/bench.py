"""What bench/gpu/peer.py uses of cuda-bench, without a GPU: calls each benchmark's launcher three times, and writes
down what it was given."""

import json

STREAM = 0x5743
registered = []


class Stream:
    def addressof(self):
        return STREAM


class Launch:
    def get_stream(self):
        return Stream()


class State:
    def exec(self, launcher):
        for _ in range(3):
            launcher(Launch())


def register(function):
    registered.append(function)


def run_all_benchmarks(argv):
    for function in registered:
        function(State())
    with open(argv[argv.index("--json") + 1], "w", encoding="utf-8") as file:
        json.dump({"argv": argv, "benchmarks": [function.__name__ for function in registered]}, file)
