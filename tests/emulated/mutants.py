"""Shipped CUDA solutions spoilt in one place each, all of which the emulation has to refuse; and kernels with one
fault each, with what is to be said of it."""

import copy

K, P = "kbench_cuda_", "plain_cuda_"

# Solution, what was done to it, file, what is replaced by what, and what the cause has to say ("": that it is wrong).
MUTANTS = [
    # Barriers that are missing.
    (K + "rmsnorm_d4096", "no barrier", "reduce.cuh", "  __syncthreads();\n", "", "RACE"),
    (K + "fused_add_rmsnorm_h4096", "no barrier", "reduce.cuh", "  __syncthreads();\n", "", "reduce.cuh:37"),
    (K + "quantize_int8_h4096", "no barrier", "reduce.cuh", "  __syncthreads();\n", "", "RACE"),
    (K + "reduction_sum_n4096", "no barrier", "reduce.cuh", "  __syncthreads();\n", "", "RACE"),
    (K + "argmax_v151936", "no barrier", "argmax.cu", "  __syncthreads();\n", "", "RACE"),
    (K + "rope_neox_h32_kv8_d128", "no barrier", "rope.cu", "  __syncthreads();\n", "", "RACE"),
    (K + "gqa_paged_decode_h32_kv8_d128_ps16", "no barrier", "paged_decode.cu", "  __syncthreads();\n", "", "RACE"),
    (K + "gemm_n4096_k4096", "no barrier", "gemm.cu", "__syncthreads();", "", ""),
    (P + "gemm_n4096_k4096", "no barrier before", "gemm.cu",
     "    __syncthreads();\n    for", "    for", "RACE"),
    (P + "gemm_n4096_k4096", "no barrier behind", "gemm.cu", "    __syncthreads();\n  }", "  }", "RACE"),
    (P + "gemm_bf16_n128_k2048", "no barrier before", "gemm.cu", "    __syncthreads();\n    for", "    for", "gemm.cu:"),
    (P + "layernorm_h768", "no barrier behind", "rows.cuh", "  __syncthreads();  // before", "  // before", "RACE"),
    (P + "softmax_n1024", "no barrier first", "rows.cuh", "= mine;\n  __syncthreads();", "= mine;", "RACE"),
    (P + "rmsnorm_d4096", "no barrier in the tree", "rows.cuh", "    __syncthreads();\n  }", "  }", "RACE"),
    (P + "argmax_v151936", "no barrier first", "argmax.cu", "  __syncthreads();\n  for", "  for", "RACE"),
    (P + "argmax_v151936", "no barrier in the tree", "argmax.cu", "    __syncthreads();\n  }", "  }", "RACE"),
    (P + "gqa_paged_decode_h32_kv8_d128_ps16", "no barrier", "paged_decode.cu", "__syncthreads();  // the", "// the",
     "RACE"),
    # Barriers that not all threads reach.
    (P + "reduction_sum_n4096", "barrier of some", "rows.cuh",
     "threadIdx.x + distance]);\n    __syncthreads();", "threadIdx.x + distance]), __syncthreads();", ""),
    # Lanes.
    (K + "rmsnorm_h7168", "too few lanes", "reduce.cuh", "distance = kLanes / 2", "distance = kLanes / 4", ""),
    (K + "softmax_n1024", "lanes below", "reduce.cuh", "__shfl_xor_sync(kAllLanes, x, distance)",
     "__shfl_up_sync(kAllLanes, x, distance)", ""),
    (K + "layernorm_h768", "one lane", "reduce.cuh", "__shfl_xor_sync(kAllLanes, x, distance)",
     "__shfl_sync(kAllLanes, x, 0)", ""),
    (K + "quantize_int8_h4096", "half of the warps", "reduce.cuh", "found[lane] :", "found[lane / 2] :", ""),
    (K + "reduction_sum_n4096", "all warps at one place", "reduce.cuh", "found[threadIdx.x / kWarp] = x",
     "found[lane] = x", ""),
    (K + "argmax_v151936", "too few lanes", "argmax.cu", "distance = kWarp / 2", "distance = kWarp / 8", ""),
    (K + "gqa_paged_decode_h32_kv8_d128_ps16", "half the lanes", "paged_decode.cu", "among_lanes<kLanes>",
     "among_lanes<kLanes / 2>", ""),
    (K + "fused_add_rmsnorm_residual_h1024", "no neutral", "reduce.cuh", "found[lane] : Operation::neutral",
     "found[lane] : found[0]", ""),
    (K + "layernorm_h1280", "mask of half a warp", "reduce.cuh", "kAllLanes = 0xffffffff", "kAllLanes = 0x0000ffff", ""),
    # Steps too far or not far enough.
    (K + "silu_and_mul_d768", "a step too far", "silu_and_mul.cu", "column >= d", "column > d", ""),
    (K + "silu_and_mul_d14336", "no end", "silu_and_mul.cu", "  if (column >= d) return;\n", "", ""),
    (P + "silu_and_mul_d768", "a step too far", "silu_and_mul.cu", "i >= elements", "i > elements", "OUT_OF_BOUNDS"),
    (P + "silu_and_mul_d14336", "no end", "silu_and_mul.cu", "  if (i >= elements) return;\n", "", "OUT_OF_BOUNDS"),
    ("plain_kernel_silu_and_mul_d768", "no end", "silu_and_mul_kernel.cu", "  if (i >= num_tokens * d) return;\n", "", "OUT_OF_BOUNDS"),
    (K + "rmsnorm_d4096", "a step too far", "rmsnorm.cu", "if (i >= rows.n) continue;\n    held[v].load",
     "if (i > rows.n) continue;\n    held[v].load", ""),
    (K + "reduction_sum_n4096", "one vector too many", "reduction.cu", "for (; i < n; i += stride)",
     "for (; i <= n; i += stride)", ""),
    (K + "argmax_v151936", "no end", "argmax.cu", "    if (first + v * kThreads * width < n) scores",
     "    scores", "OUT_OF_BOUNDS"),
    (K + "rope_neox_h32_kv8_d128", "one item too many", "rope.cu", "item < vectors", "item <= vectors", "OUT_OF_BOUNDS"),
    (P + "rope_neox_h32_kv8_d128", "no end", "rope.cu", "  if (pair >= x.pairs) return;\n", "", "OUT_OF_BOUNDS"),
    (P + "rmsnorm_h7168", "one too many", "rmsnorm.cu", "i < rows.n; i += kThreads) {\n    const float x = rows.at(first + i);\n    squares",
     "i <= rows.n; i += kThreads) {\n    const float x = rows.at(first + i);\n    squares", ""),
    (P + "softmax_n1024", "one too many", "softmax.cu", "i < n; i += kThreads)\n    out[i]", "i <= n; i += kThreads)\n    out[i]",
     ""),
    (P + "layernorm_h1280", "one too few", "layernorm.cu", "i < rows.n; i += kThreads) {\n    const float normalised",
     "i < rows.n - 1; i += kThreads) {\n    const float normalised", "UNWRITTEN"),
    (P + "quantize_int8_h4096", "one too few", "quantize.cu", "i < n; i += kThreads) {\n    const float code",
     "i + 1 < n; i += kThreads) {\n    const float code", ""),
    (P + "reduction_sum_n4096", "one too few", "reduction.cu", "i < n; i", "i < n - 1; i", ""),
    (P + "argmax_v151936", "one too many", "argmax.cu", "i < n; i", "i <= n; i", "OUT_OF_BOUNDS"),
    (P + "gqa_paged_decode_h32_kv8_d128_ps16", "one token too many", "paged_decode.cu",
     "cache.last_page_len[sequence] : 0", "cache.last_page_len[sequence] + 1 : 0", ""),
    # Tiles and strides.
    (P + "gemm_n4096_k4096", "no columns' end", "gemm.cu", " && column < columns", "", ""),
    (P + "gemm_n4096_k4096", "no rows' end", "gemm.cu", "row < rows && ", "", "OUT_OF_BOUNDS"),
    (P + "gemm_bf16_n2048_k1024", "tile short of one", "gemm.cu", "i < kTile; ++i) sum", "i < kTile - 1; ++i) sum", ""),
    (P + "gemm_bf16_n2048_k1024", "tile beyond its end", "gemm.cu", "i < kTile; ++i) sum", "i <= kTile; ++i) sum",
     "OUT_OF_BOUNDS"),
    (P + "gemm_bf16_n128_k2048", "transposed", "gemm.cu", "tile_b[x][i]", "tile_b[i][x]", ""),
    (P + "gemm_bf16_n128_k2048", "stride of a column", "gemm.cu", "tile_b[kTile][kTile + 1]", "tile_b[kTile - 1][kTile]",
     "OUT_OF_BOUNDS"),
    (P + "gemm_n4096_k4096", "grid one short", "gemm.cu", "blocks_for(size.n, kTile))", "size.n / kTile)", ""),
    (K + "gemm_n4096_k4096", "no columns' end", "gemm.cu", " && column < from.columns", "", ""),
    (K + "gemm_n4096_k4096", "no rows' end", "gemm.cu", "first_row + row < from.rows && ", "", ""),
    (K + "gemm_n4096_k4096", "copies not awaited", "gemm.cu", "await_copies<S::kStages - 2>();", "", ""),
    (K + "gemm_n4096_k4096", "fragments", "gemm.cu", "chunk + lane / 8 % 2", "chunk + lane / 16", ""),
    (K + "gemm_bf16_n2048_k1024", "stage", "gemm.cu", "fetch_both(number + S::kStages - 1)",
     "fetch_both(number + S::kStages)", ""),
    (K + "gemm_bf16_n2048_k1024", "rows of a tile", "gemm.cu", "top + 16 * i + lane % 16", "top + 16 * i + lane % 8", ""),
    (K + "gemm_bf16_n128_k2048", "writes beyond", "gemm.cu", "if (row < size.m && column < size.n)", "if (row < size.m)", ""),
    (K + "gemm_bf16_n128_k2048", "another row of C", "gemm.cu", "+ lane / 4;", "+ lane / 8;", ""),
    (K + "silu_and_mul_d768", "stride of rows", "silu_and_mul.cu", "output + row * d", "output + row * 2 * d", ""),
    (K + "rope_neox_h32_kv8_d128", "stride of heads", "rope.cu", "* tokens.kv_heads + head - tokens.q_heads",
     "* tokens.q_heads + head - tokens.q_heads", ""),
    (P + "rope_neox_h32_kv8_d128", "stride of halves", "rope.cu", "x.in[place + x.half]", "x.in[place + x.half - 1]", ""),
    (K + "gqa_paged_decode_h32_kv8_d128_ps16", "stride of pages", "paged_decode.cu", "(page * page_size + token % page_size)",
     "(page + token % page_size)", ""),
    # Masks that are missing.
    (K + "layernorm_h768", "no mask", "layernorm.cu", "if (x.column(v) < rows.n) squares", "squares", ""),
    (K + "softmax_n1024", "zeros for nothing", "softmax.cu", "n, -INFINITY", "n, 0.0f", ""),
    (K + "gqa_paged_decode_h32_kv8_d128_ps16", "no mask", "paged_decode.cu", "if (token < length) running", "running", ""),
    (P + "gqa_paged_decode_h32_kv8_d128_ps16", "no mask", "paged_decode.cu", "if (me < count) weights", "weights", ""),
    # Arithmetic.
    (P + "softmax_n1024", "no highest", "softmax.cu", "highest = combine(highest, Highest{});", "highest = 0;", ""),
    (P + "gemm_bf16_n2048_k1024", "sum of bfloat16", "gemm.cu", "sum += tile_a[y][i] * tile_b[x][i]",
     "sum = __bfloat162float(__float2bfloat16_rn(sum + tile_a[y][i] * tile_b[x][i]))", ""),
    (P + "reduction_sum_n4096", "sum of bfloat16", "reduction.cu", "sum += to_float(x[i]);",
     "sum = __bfloat162float(__float2bfloat16_rn(sum + to_float(x[i])));", ""),
    (K + "reduction_sum_n4096", "a vector left out", "reduction.cu", "i < n; i += stride", "i < n; i += 2 * stride", ""),
    (K + "layernorm_h1280", "no epsilon's place", "layernorm.cu", "static_cast<float>(rows.n) + rows.eps",
     "(static_cast<float>(rows.n) + rows.eps)", ""),
    (K + "rope_neox_h32_kv8_d128", "sign", "rope.cu", "b * c + a * s", "b * c - a * s", ""),
    # Races between blocks, and writes to what is not the block's.
    (K + "argmax_v151936", "no atomic", "argmax.cu", "atomicMax(&best[blockIdx.x], key)",
     "best[blockIdx.x] = better(best[blockIdx.x], key)", "RACE"),
    (P + "quantize_int8_h4096", "one scale for all rows", "quantize.cu", "scales[blockIdx.x] = scale", "scales[0] = scale", ""),
    (P + "argmax_v151936", "writes to its input", "argmax.cu", "    const Best here{row[i], i};",
     "    const_cast<float*>(row)[i] = 0;\n    const Best here{row[i], i};", ""),
    # Launches.
    (P + "layernorm_h768", "too many threads", "layernorm.cu", ", kThreads, 0,", ", 2048, 0,", "invalid configuration argument"),
    (K + "gemm_n4096_k4096", "too much memory", "gemm.cu", "= 48 * 1024 / kStageBytes", "= 96 * 1024 / kStageBytes",
     "invalid argument"),
    (P + "rmsnorm_h7168", "no launch", "rmsnorm.cu", "<<<static_cast<unsigned>(x.size(0)),", "<<<0,", "invalid configuration argument"),
]

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
PASSED, WRONG, ERROR = "PASSED", "INCORRECT_NUMERICAL", "RUNTIME_ERROR"

UNSEEN = '__attribute__((no_sanitize("thread"))) '
JOIN = "#define JOIN(x, y) x##y\n"
# How a program might turn checks off → the name that the compiler refuses, what stands before the kernel's line, and
# what stands in the kernel.
HIDDEN = {
    "by an attribute": ("no_sanitize", UNSEEN),
    "by pasted words": ("no_sanitize_thread", "#define A(x, y) __attribute__((x##y))\nA(no_, sanitize_thread) "),
    "by digraphs": ("__no_sanitize_thread__", "%:define J(x, y) x%:%:y\n[[gnu::J(__no_sani, tize_thread__)]] "),
    "by spliced lines": ("no_sanitize_thread", "#define A __attribute__((no_sani\\\ntize_thread))\nA "),
    "by a macro of that name": ("no_sanitize", '#pragma push_macro("no_sanitize")\n#undef no_sanitize\n' + UNSEEN),
    "in a system's header": ("no_sanitize", '# 1 "/usr/include/x.h" 1 3 4\n#pragma GCC system_header\n' + UNSEEN),
    "in a file of another name": ("no_sanitize", '#include "odd.txt"\nodd;\n'),
    "by a hook of its own": ("__tsan_read4", JOIN + 'namespace { extern "C" void JOIN(__tsan_, read4)(void*) {} }\n'),
    "by a pragma's hook": ("__tsan_read4", JOIN + "void g(void*) {}\n#pragma redefine_extname g __tsan_read4\n"),
    "by asm": ("__asm__", JOIN, 'JOIN(__as, m__)("" : : "r"(x[i + 1]));'),
    "by a section": ("section", JOIN + '__attribute__((JOIN(sec, tion)(".text\\n nop #"))) '),
    "by instructions": ("__builtin_ia32_movnti", JOIN, "JOIN(__builtin_ia, 32_movnti)((int*)y + i + 1, 0);"),
    "by a form of its own": ("macros may make a name", JOIN + "namespace JOIN(kbench_emu, lation) { template <typename T> struct Same; }\n"),
    "by a call of the judge's": ("macros may make a name", JOIN, "JOIN(kbench_, emulation_call)(nullptr, 0, 0);"),
}
HONEST = """#define JOIN(x, y) x##y
#define UNROLL _Pragma("unroll")
template <int N> struct alignas(16) JOIN(Ve, ctor) { float at[N]; } __attribute__((aligned(16)));
[[nodiscard]] __device__ __forceinline__ float JOIN(th, rough)(float optimize) {
  Vector<JOIN(1, 6)> v;
  UNROLL for (float& one : v.at) one = optimize;
#pragma unroll 4
  for (int i = 0; i < 1; ++i) asm volatile("mov.b32 %0, %1;" : "=f"(v.at[i]) : "f"(v.at[3]));
  return v.at[0];
}
__attribute__((noinline)) __device__ float twice(float x) { return 2 * through(x); }
__launch_bounds__(64) """


def hidden(before, inside=""):
    """The kernel with these lines."""
    return KERNEL.replace("__global__ void", before + "__global__ void", 1).replace("  y[i] =", f"  {inside}\n  y[i] =", 1)


# A parameter that does something when it is copied or ends, within the code that calls the kernel.
HELD = """struct Held {
  const float* at;
  __host__ __device__ Held(const float* x) : at(x) {}
  __host__ __device__ %s Held(const Held& other) : at(other.at) { %s }
  __host__ __device__ %s ~Held() { %s }
  __device__ float operator[](int i) const { return at[i]; }
};
__global__ void add_sum(Held x"""
WHERE = "__global__ void add_sum(const float* x"
BEYOND = "if (gridDim.x == 3 && blockDim.x == 64) { volatile float beyond = at[192]; (void)beyond; }"

# Name → what is replaced by what, and the status and the text by which it is noticed.
FAULTS = {
    "none": ("", "", PASSED, ""),
    "no_barrier": ("  __syncthreads();\n", "", ERROR, "RACE read of 4 bytes of shared row"),
    "half_a_barrier": ("  __syncthreads", "  if (me < 32) __syncthreads", ERROR, ""),
    "two_barriers": ("  __syncthreads();",
                     "  if (me < 32) {\n    __syncthreads();\n  } else {\n    __syncthreads();\n  }", ERROR,
                     "DIVERGENT_BARRIER"),
    "left_early": ("  more[me]", "  if (me == 63) return;\n  more[me]", WRONG, "UNWRITTEN"),
    "reads_what_nobody_wrote": ("  row[me] =", "  if (me != 5) row[me] =", WRONG, "which nothing was written to"),
    "writes_beside_dynamic": ("more[me] = x[i];  // left", "more[me] = x[i], more[me + 1] = x[i];", ERROR,
                              "kernel.cu:8"),
    "writes_beside_static": ("  row[me] = x[i];", "  float* at = row + me;\n  at[0] = at[1] = x[i];", ERROR,
                             "kernel.cu:10"),
    "too_many_threads": ("64, 256,", "2048, 256,", ERROR, "invalid configuration argument"),
    "too_much_shared_memory": ("64, 256,", "64, 60000,", ERROR, "invalid argument"),
    "index_beyond": ("j < 64", "j < 65", ERROR, "OUT_OF_BOUNDS read of 4 bytes at byte 256 of shared row"),
    "reads_beyond_the_tensor": ("x[i];  // left", "x[i] + 0 * x[i + 1];", ERROR,
                                "OUT_OF_BOUNDS read of 4 bytes at byte 768 of x"),
    "writes_beyond_the_tensor": ("y[i] =", "y[i + 1] =", ERROR, "OUT_OF_BOUNDS write"),
    "writes_its_input": ("  y[i] =", "  const_cast<float*>(x)[i] = 1;\n  y[i] =", ERROR, "x"),
    "beyond_launch_bounds": ("__global__ void", "__global__ void __launch_bounds__(32)", ERROR,
                             "LAUNCH_BOUNDS a block of 64 threads"),
    "host_reads_a_tensor": ("  add_sum<<<", "  if (x.data<float>()[0] > 1e30f) return;\n  add_sum<<<", ERROR,
                            "HOST_ACCESS read of 4 bytes of x by the host"),
    "converts_what_does_not_fit": ("  y[i] =", "  sum += static_cast<int>(1e20f * (x[i] + 9));\n  y[i] =", WRONG,
                                   "UNDEFINED conversion of a float that the integer cannot hold"),
    "shifts_all_bits": ("  y[i] =", "  sum += 1u << (32 + (me & 1));\n  y[i] =", WRONG, "UNDEFINED shift"),
    "index_beyond_an_own_array": ("  y[i] =", "  float own[4] = {x[i], x[i], x[i], x[i]};\n  for (int j = 0; j < 4; ++j) sum += own[j + me % 3];\n  y[i] =", WRONG,
                                  "UNDEFINED index beyond a dimension of an array"),
    "copies_into_what_is_on_its_way": (
        "  row[me] = x[i];", "  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(row + me));\n  for (int k = 0; k < 2; ++k) {\n"
        '    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + i));\n    asm volatile("cp.async.commit_group;");\n  }\n'
        '  asm volatile("cp.async.wait_group 1;");', WRONG, "nan"),
    "beyond_in_a_copy": (WHERE, HELD % ("__forceinline__", BEYOND, "", ""), ERROR, "OUT_OF_BOUNDS read"),
    "beyond_in_an_end": (WHERE, HELD % ("", "", "__forceinline__", BEYOND), ERROR, "OUT_OF_BOUNDS read"),
    "none_with_a_copy": (WHERE, HELD % ("__forceinline__", "", "__forceinline__", ""), PASSED, ""),
    # Twins of HIDDEN.
    "none_with_macros": ("__global__ void", HONEST + "__global__ void", PASSED, ""),
    "trap": ("  y[i] =", "  if (sum == sum) __trap();\n  y[i] =", ERROR, "TRAP"),
}


def replaced(text, old, new):
    assert old in text, f"{old!r} is no longer there"
    return text.replace(old, new, 1)


def faulty():
    """The kernels with these faults as records."""
    for name, (old, new, _, _) in FAULTS.items():
        yield {"name": f"faulty_{name}", "definition": DEFINITION["name"], "author": "faulty",
               "spec": {"language": "cuda", "target_hardware": ["NVIDIA H100"], "entry_point": "kernel.cu::run",
                        "dependencies": []},
               "sources": [{"path": "kernel.cu", "content": replaced(KERNEL, old, new)}]}


def name_of(solution, what):
    return f"{solution}__{what.replace(' ', '_')}".replace("'", "")


def mutants(solution):
    """Spoilt copies of a shipped solution."""
    for name, what, file, old, new, _ in MUTANTS:
        if name != solution["name"]:
            continue
        record = copy.deepcopy(solution)
        record["name"] = name_of(name, what)
        source = next(source for source in record["sources"] if source["path"] == file)
        source["content"] = replaced(source["content"], old, new)
        yield record
