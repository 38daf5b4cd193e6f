"""bench/tune/race's search by Kernel Tuner's C backend: one line of JSON. Run by its own python.

kernel_tuner_gemm.py SOURCE INCLUDE ROWS PARAMETERS ITERATIONS
"""

import contextlib
import io
import json
import pathlib
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import numpy
from kernel_tuner import tune_kernel

N, K = 2048, 1024

# Calls the shipped kernel as a host does, and counts.
HOST = """
#include <chrono>
#include <cstdio>
static long calls = 0;
extern "C" float gemm_timed(uint16_t* a, uint16_t* b, uint16_t* c, long* count) {
  int64_t sa[2] = {ROWS, 1024}, sb[2] = {2048, 1024}, sc[2] = {ROWS, 2048};
  kbench::DLTensor ta{a, {1, 0}, 2, kbench::kBFloat16, sa, nullptr, 0}, tb{b, {1, 0}, 2, kbench::kBFloat16, sb, nullptr, 0},
      tc{c, {1, 0}, 2, kbench::kBFloat16, sc, nullptr, 0};
  const auto begin = std::chrono::steady_clock::now();
  run_tuned(kbench::Tensor(&ta), kbench::Tensor(&tb), panel_, depth_, widen_, threads_, kbench::Tensor(&tc));
  *count += 1;
  return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - begin).count();
}
"""


def bfloat16(values):
    return (values.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)


def widened(words):
    return (words.astype(numpy.uint32) << 16).view(numpy.float32)


def main():
    source, include, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])
    parameters, iterations = json.loads(sys.argv[4]), int(sys.argv[5])
    random = numpy.random.default_rng(0)
    a, b = (bfloat16(random.standard_normal((n, K))) for n in (rows, N))
    answer = widened(a) @ widened(b).T
    c, count = numpy.zeros((rows, N), numpy.uint16), numpy.zeros(1, numpy.int64)
    text = pathlib.Path(source).read_text() + HOST
    for name in ("panel", "depth", "widen", "threads"):
        text = text.replace(f"{name}_,", f"KB_{name},").replace(f"{name}_)", f"KB_{name})")
    # Kernel Tuner gives every parameter as a macro of its own name: those of calls would be taken for variables.
    renamed = {("KB_" + name if name.islower() else name): values for name, values in parameters.items()}

    def verify(expected, result, atol=None):
        got = widened(numpy.asarray(result[2]).reshape(rows, N))
        return bool(numpy.allclose(got, answer, rtol=2e-2, atol=2e-1))

    with contextlib.redirect_stdout(io.StringIO()):
        begin = time.perf_counter()
        results, _ = tune_kernel("gemm_timed", text, 1, [a, b, c, count], renamed, lang="C", compiler="g++",
                                 compiler_options=["-std=c++17", "-O3", "-ffp-contract=fast", "-fopenmp", f"-I{include}",
                                                   f"-DROWS={rows}", "-fPIC"],
                                 answer=[None, None, c, None], verify=verify, iterations=iterations, quiet=True)
        seconds = time.perf_counter() - begin
    best = min((r for r in results if isinstance(r["time"], (int, float))), key=lambda r: r["time"])
    print(json.dumps({"configurations": len(results), "seconds": seconds, "calls": int(count[0]) or (iterations + 1) * len(results),
                      "best": {name: best["KB_" + name if name.islower() else name] for name in parameters}}))


if __name__ == "__main__":
    main()
