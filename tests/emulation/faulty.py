"""Kernels with one fault each, and shipped kernels spoilt in one place: the test of the emulator's test."""

import copy

DEFINITION = {
    "name": "emulation_add_sum", "op_type": "emulation", "axes": {"rows": {"type": "var"},
                                                                 "n": {"type": "const", "value": 64}},
    "inputs": {"x": {"shape": ["rows", "n"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["rows", "n"], "dtype": "float32"}},
    "reference": "import torch\n\ndef run(x):\n    return x + x.sum(dim=-1, keepdim=True)\n"}
WORKLOADS = [{"axes": {"rows": 3}, "inputs": {"x": {"type": "random"}}}]

# Adds its row's sum to each element. The marked places are where a fault goes.
KERNEL = """
#include "kbench_cuda.h"

__global__ void add_sum(const float* x, float* y) {
  extern __shared__ float more[];
  __shared__ float row[64];
  const int me = threadIdx.x, i = blockIdx.x * 64 + me;
  more[me] = x[i];  // left
  row[me] = x[i];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 64; ++j) sum += row[j];
  y[i] = more[me] + sum;  // written
}

void run(kbench::Tensor x, kbench::Tensor y) {
  add_sum<<<static_cast<unsigned>(x.size(0)), 64, 256, kbench::stream_of(x)>>>(x.data<float>(), y.data<float>());
  kbench::check_launch();
}
KBENCH_EXPORT(run, run)
"""
# A host that says the stream: by the device type of CUDA, which is 2.
RUN = "void run(kbench::Tensor x, kbench::Tensor y) {\n"
HOST = """extern "C" void* TVMFFIEnvGetStream(int32_t type, int32_t id) {
  return reinterpret_cast<void*>(static_cast<intptr_t>(100 * type + id));
}
"""
CHECK = '  KBENCH_CHECK(kbench::stream_of(x) == reinterpret_cast<void*>(200), "another stream");\n'
WRONG, ERROR = ("INCORRECT_NUMERICAL",), ("RUNTIME_ERROR",)

# Name → what is replaced by what, and the statuses and the text by which it is noticed.
FAULTS = {
    "none": ("", "", ("PASSED",), ""),
    "none_and_a_stream": (RUN, HOST + RUN + CHECK, ("PASSED",), ""),
    "no_barrier": ("  __syncthreads();\n", "", WRONG, ""),
    "half_a_barrier": ("  __syncthreads", "  if (me < 32) __syncthreads", ERROR, "thread 32,0,0 has ended"),
    "two_barriers": ("  __syncthreads();",
                     "  if (me < 32) {\n    __syncthreads();\n  } else {\n    __syncthreads();\n  }", ERROR,
                     "a barrier that not all reach: thread 0,0,0 waits at the barrier of line 11"),
    "left_early": ("  more[me]", "  if (me == 63) return;\n  more[me]", ERROR, "thread 63,0,0 has ended"),
    "reads_what_nobody_wrote": ("  row[me] =", "  if (me != 5) row[me] =", WRONG, ""),
    "writes_beside_dynamic": ("more[me] = x[i];  // left", "more[me] = x[i], more[me + 1] = x[i];", ERROR,
                              "a write beside an array of shared memory"),
    "writes_beside_static": ("  row[me] = x[i];", "  float* at = row + me;\n  at[0] = at[1] = x[i];", ERROR,
                             "a write beside an array of shared memory"),
    "half_a_warp": ("+ sum;", "+ sum + 0 * (me % 32 < 16 ? __shfl_xor_sync(0xffffffff, sum, 1) : 0);", ERROR,
                    "waits for lanes ffffffff of its warp"),
    "lane_that_takes_no_part": ("+ sum;", "+ sum + (me < 32 ? 0 * __shfl_sync(1u << me, sum, me + 1) : 0);", ERROR,
                                "a shuffle from a lane that takes no part"),
    "too_many_threads": ("64, 256,", "2048, 256,", ERROR, "a block has 1 to 1024 threads"),
    "too_much_shared_memory": ("64, 256,", "64, 60000,", ERROR, "more shared memory than a block has"),
}
# The faults that the sanitizers name.
FOR_SANITIZERS = {
    "index_beyond": ("j < 64", "j < 65", ERROR, "index 64 out of bounds"),
    "odd_address": ("x[i];  // left", "x[i] + 0 * reinterpret_cast<const float4*>(x + 1)->x;", ERROR,
                    "misaligned address"),
    "reads_beyond_the_tensor": ("x[i];  // left", "x[i] + 0 * x[i + 1];", ERROR, "out of bounds of input"),
}
NOT_PASSED = ("INCORRECT_NUMERICAL", "RUNTIME_ERROR")

# Shipped kernels without something that they need: solution, name, file, what is replaced by what.
SPOILT = [
    ("plain_cuda_gemm_n4096_k4096", "tail", "gemm.cu", " && column < columns", ""),
    ("plain_cuda_gemm_n4096_k4096", "barrier", "gemm.cu", "    __syncthreads();\n  }", "  }"),
    ("plain_cuda_layernorm_h768", "barrier", "rows.cuh", "  __syncthreads();  // before", "  // before"),
    ("plain_cuda_gqa_paged_decode_h32_kv8_d128_ps16", "barrier", "paged_decode.cu", "__syncthreads();  // the",
     "// the"),
    ("kbench_cuda_gemm_n4096_k4096", "tail", "gemm.cu", " && column < from.columns", ""),
    ("kbench_cuda_gemm_n4096_k4096", "rows", "gemm.cu", "first_row + row < from.rows && ", ""),
    ("kbench_cuda_gemm_n4096_k4096", "barrier", "gemm.cu", "__syncthreads();", ""),
    ("kbench_cuda_gemm_n4096_k4096", "copies", "gemm.cu", "await_copies<S::kStages - 2>();", ""),
    ("kbench_cuda_gemm_n4096_k4096", "fragments", "gemm.cu", "chunk + lane / 8 % 2", "chunk + lane / 16"),
    ("kbench_cuda_gemm_n4096_k4096", "swizzle", "gemm.cu", "(chunk ^ (row % 8))", "chunk"),
    ("kbench_cuda_rmsnorm_d4096", "barrier", "reduce.cuh", "  __syncthreads();\n", ""),
    ("kbench_cuda_layernorm_h768", "tail", "layernorm.cu", "if (x.column(v) < rows.n) squares", "squares"),
    ("kbench_cuda_softmax_n1024", "tail", "softmax.cu", "n, -INFINITY", "n, 0.0f"),
    ("kbench_cuda_gqa_paged_decode_h32_kv8_d128_ps16", "tail", "paged_decode.cu", "if (token < length) running",
     "running"),
]


def replaced(text, old, new):
    assert old in text, f"{old!r} is no longer there"
    return text.replace(old, new, 1)


def kernels(faults, header_of):
    """The kernels with these faults as records; header_of(name) is the text of a header for candidates."""
    headers = [{"path": name, "content": header_of(name)} for name in ("kbench_ffi.h", "kbench_cuda.h")]
    for name, (old, new, _, _) in faults.items():
        source = {"path": "kernel.cu", "content": replaced(KERNEL, old, new)}
        yield {"name": f"faulty_{name}", "definition": DEFINITION["name"], "author": "faulty",
               "spec": {"language": "cuda", "target_hardware": ["NVIDIA H100"], "entry_point": "kernel.cu::run",
                        "dependencies": [], "destination_passing_style": True, "binding": "tvm-ffi"},
               "sources": [source, *headers]}


def spoilt(solution):
    """Copies of a shipped solution that lack something."""
    for name, what, file, old, new in SPOILT:
        if name != solution["name"]:
            continue
        record = copy.deepcopy(solution)
        record["name"] = f"{name}_without_{what}"
        source = next(source for source in record["sources"] if source["path"] == file)
        source["content"] = replaced(source["content"], old, new)
        yield record
