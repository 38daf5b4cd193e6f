"""Solutions in CUDA that tests/gpu/device has judged, each with the verdict that is right."""

import dataclasses

DEFINITION = {
    "name": "gpu_double", "op_type": "gpu", "axes": {"n": {"type": "var"}},
    "inputs": {"x": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
    "reference": "import torch\n\ndef run(x):\n    return 2 * x\n"}
WORKLOAD = {"uuid": "00000000-0000-4000-8000-000000000001", "axes": {"n": 4096},
            "inputs": {"x": {"type": "random"}}}

# What of it changes from one to the next: what stands before the host's function, in it, and the kernel's line.
SOURCE = """#include "kbench_cuda.h"

#ifdef KBENCH_EMULATION
#include <time.h>
inline long long nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}
#else
__device__ long long nanoseconds() {
  long long now;
  asm volatile("mov.u64 %%0, %%globaltimer;" : "=l"(now));
  return now;
}
#endif

%(before)s
__global__ void twice(const float* x, float* y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  %(line)s
}

void run(kbench::Tensor x, kbench::Tensor y) {
  cudaStream_t stream = kbench::stream_of(x);
  const unsigned blocks = static_cast<unsigned>((x.size(0) + 255) / 256);
  %(host)s
  twice<<<blocks, 256, 0, stream>>>(x.data<float>(), y.data<float>(), x.size(0));
  kbench::check_launch();
}
KBENCH_EXPORT(run, run)
"""
RIGHT = "y[i] = 2 * x[i];"
WAIT = "if (i == 0) for (const long long begin = nanoseconds(); nanoseconds() - begin < 200000;) {}\n  "
WAIT_LONG = WAIT.replace("200000", "400000")
OTHER_STREAM = """static cudaStream_t own = nullptr;
  if (own == nullptr) cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  stream = own;"""
ERROR, WRONG = "RUNTIME_ERROR", "INCORRECT_NUMERICAL"


@dataclasses.dataclass(frozen=True)
class Candidate:
    name: str
    status: str = "PASSED"
    cause: str = ""  # a regular expression
    line: str = RIGHT
    host: str = ""
    before: str = ""
    audited: bool = True
    in_audit: tuple = ()  # status and cause there, where they are others
    needs_device: bool = False

    def expected(self, mode):
        return self.in_audit if mode == "audit" and self.in_audit else (self.status, self.cause)

    def solution(self):
        text = SOURCE % {"before": self.before, "line": self.line, "host": self.host}
        return {"name": self.name, "definition": DEFINITION["name"], "author": "test",
                "spec": {"language": "cuda", "target_hardware": ["cuda"], "entry_point": "main.cu::run",
                         "dependencies": [], "destination_passing_style": True},
                "sources": [{"path": "main.cu", "content": text}], "description": ""}


KERNEL = """%(before)s
extern "C" __global__ void twice(const float* x, float* y, %(length)s n) {
  const %(length)s i = static_cast<%(length)s>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  %(line)s
}
"""
# The sum of its lane's partner comes from the block's shared memory.
SHARED = """extern __shared__ float tile[];
  tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = tile[threadIdx.x] + x[i];"""


@dataclasses.dataclass(frozen=True)
class Kernel(Candidate):
    """One kernel by itself, which kbench launches."""

    launch: tuple = ()  # what of it is not as usual
    length: str = "long long"
    symbol: str = "twice"

    def solution(self):
        record = super().solution()
        launch = {"grid": ["(n + 255) // 256"], "block": [256], "arguments": ["x", "y", "n"], **dict(self.launch)}
        record["spec"] |= {"entry_point": f"main.cu::{self.symbol}", "launch": launch}
        text = KERNEL % {"before": self.before, "line": self.line, "length": self.length}
        record["sources"][0]["content"] = text
        return record


RETURNS = """#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

using tvm::ffi::Tensor;
using tvm::ffi::TensorView;

__global__ void twice(const float* x, float* y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  %(line)s
}

struct OwnMemory {
  void AllocData(DLTensor* tensor) { cudaMalloc(&tensor->data, tensor->shape[0] * sizeof(float)); }
  void FreeData(DLTensor*) {}
};

Tensor run(TensorView x) {
  %(host)s
  const int64_t n = x.size(0);
  twice<<<static_cast<unsigned>((n + 255) / 256), 256, 0, nullptr>>>(static_cast<const float*>(x.data_ptr()),
                                                                     static_cast<float*>(y.data_ptr()), n);
  return y;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run)
"""
ALLOCATED = "Tensor y = Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device());"


@dataclasses.dataclass(frozen=True)
class Returning(Candidate):
    """It allocates its output and returns it."""

    host: str = ALLOCATED

    def solution(self):
        record = super().solution()
        record["spec"]["destination_passing_style"] = False
        record["sources"][0]["content"] = RETURNS % {"line": self.line, "host": self.host}
        return record


@dataclasses.dataclass(frozen=True)
class Python(Candidate):
    """It runs in the Python of torch's environment, which makes tensors of what lies on the GPU."""

    text: str = ""
    passing: bool = False  # it writes to the output that it is given
    language: str = "python"

    def solution(self):
        record = super().solution()
        record["spec"] |= {"language": self.language, "entry_point": "main.py::run",
                           "destination_passing_style": self.passing}
        body = "".join(f"    {line}\n" for line in self.text.splitlines())
        head = f"import subprocess\n\nimport torch\n\n{self.before}\n\ndef run(x{', y' if self.passing else ''}):\n"
        record["sources"] = [{"path": "main.py", "content": head + body}]
        return record


TORCH = """#include <cuda_runtime.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/utils/pybind.h>

__global__ void twice(const float* x, float* y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  %(line)s
}

at::Tensor run(const at::Tensor& x) {
  %(host)s
  at::Tensor y = at::empty_like(x);
  const int64_t n = x.numel();
  twice<<<static_cast<unsigned>((n + 255) / 256), 256, 0, nullptr>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
#ifdef KBENCH_EMULATION
  cudaDeviceSynchronize();  // an allocator for the CPU does not know that the device has work with y
#endif
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) { module.def("run", &run); }
"""


@dataclasses.dataclass(frozen=True)
class Torch(Candidate):
    """Binding torch: an extension module with kernels in it."""

    def solution(self):
        record = super().solution()
        record["spec"] |= {"binding": "torch", "destination_passing_style": False}
        record["sources"][0]["content"] = TORCH % {"line": self.line, "host": self.host}
        return record


ALL = [
    Candidate("good"),
    Candidate("waits", line=WAIT + RIGHT),
    Candidate("twice_as_long", line=WAIT_LONG + RIGHT, audited=False),
    Candidate("wrong", WRONG, "", "y[i] = 3 * x[i];"),
    Candidate("leaves_half", WRONG, "UNWRITTEN", "if (i < n / 2) y[i] = 2 * x[i];"),
    Candidate("writes_its_input", ERROR, "INPUT_MODIFIED", RIGHT + " const_cast<float*>(x)[i] = 0;"),
    Candidate("writes_beyond", ERROR, "OUT_OF_BOUNDS", RIGHT + " if (i == 0) y[n] = 1;"),
    Candidate("traps", ERROR, "GPU_ERROR", "if (i == 77) __trap(); " + RIGHT),
    Candidate("good_after_a_trap"),
    Candidate("misaligned", ERROR, r"GPU_ERROR.*\(716\)", "*reinterpret_cast<double*>(y + 1) = x[i];",
              needs_device=True),
    Candidate("wild", ERROR, r"GPU_ERROR.*\(700\)", "y[i + (int64_t{1} << 40)] = x[i];", needs_device=True),
    Candidate("hangs", "TIMEOUT", "", "for (volatile const float* at = x; at[i] == x[i];) {} " + RIGHT),
    Candidate("good_after_a_hang"),
    Candidate("wants_all_memory", ERROR, "out of memory",
              host="void* memory = nullptr;\n  kbench::check_cuda(cudaMalloc(&memory, size_t{1} << 50));"),
    Kernel("kernel"),
    Kernel("kernel_of_32_bits", length="int"),
    Kernel("kernel_of_a_template", symbol="scaled<2>", before="""template <int factor>
__global__ void scaled(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}"""),
    Kernel("kernel_with_shared_memory", line=SHARED, launch=(("shared_bytes", "4 * 256"),)),
    Kernel("kernel_with_much_shared_memory", line=SHARED, launch=(("shared_bytes", 232448),)),
    Kernel("kernel_launched_too_small", WRONG, "UNWRITTEN", launch=(("grid", ["n // 512"]),)),
    Kernel("kernel_not_launched", WRONG, "UNWRITTEN", launch=(("grid", [0]),)),
    Kernel("kernel_of_too_many_threads", ERROR, "LAUNCH_ERROR: block.0., n: expected 1 to 1024, found 4096",
           launch=(("block", ["n"]),)),
    Kernel("kernel_of_too_much_memory", ERROR, "400000 bytes of shared memory a block: ",
           launch=(("shared_bytes", "400000"),)),
    Kernel("kernel_of_other_parameters", "COMPILE_ERROR", "the kernel has more than 2 parameters, and gets 2",
           launch=(("arguments", ["x", "y"]),)),
    Kernel("kernel_of_fewer_parameters", "COMPILE_ERROR", "the kernel has 3 parameters, and gets 4",
           launch=(("arguments", ["x", "y", "n", "n"]),)),
    Kernel("kernel_of_a_short_parameter", "COMPILE_ERROR",
           "parameter 3 of the kernel has 2 bytes, and what it gets, the length 4096, has 8 bytes", length="short"),
    Kernel("kernel_traps", ERROR, "GPU_ERROR", "if (i == 77) __trap(); " + RIGHT),
    Kernel("kernel_that_is_not_there", "COMPILE_ERROR", "BUILD_ERROR", symbol="thrice"),
    Returning("returns"),
    Returning("returns_half", WRONG, "UNWRITTEN", "if (i < n / 2) y[i] = 2 * x[i];"),
    Returning("returns_and_writes_beyond", ERROR, "OUT_OF_BOUNDS: wrote beside result 0",
              RIGHT + " if (i == 0) y[n] = 1;"),
    Returning("returns_its_own_memory",
              host="static Tensor y = Tensor::FromNDAlloc(OwnMemory(), x.shape(), x.dtype(), x.device());"),
    Returning("returns_the_hosts_memory", ERROR, "kbench allocates tensors in the GPU's memory alone",
              host=ALLOCATED.replace("x.device()", "DLDevice{kDLCPU, 0}")),
    Returning("returns_after_a_trap", ERROR, "GPU_ERROR", "if (i == 77) __trap(); " + RIGHT),
    # Events around the call see nothing of it; the judge's clock does, in an audit, too.
    Candidate("other_stream", ERROR, "HIDDEN_WORK", WAIT + RIGHT, OTHER_STREAM, in_audit=("PASSED", "")),
    # Timed calls find its answer of an earlier one, until the outputs are filled anew.
    Candidate("answers_once", WRONG, "UNWRITTEN", host="""static int calls = 0;
  if (++calls > 30) return;"""),
    Python("python", text="return 2 * x"),
    Python("python_of_a_tuple", text="return (x + x,)"),
    Python("python_that_is_passed", text="torch.mul(x, 2, out=y)", passing=True),
    Python("python_wrong", WRONG, text="return 3 * x"),
    Python("python_leaves_half", WRONG, "UNWRITTEN", text="y[:100] = 2 * x[:100]", passing=True),
    Python("python_writes_its_input", ERROR, "INPUT_MODIFIED", text="y = 2 * x\nx.zero_()\nreturn y"),
    Python("python_raises", ERROR, r"ValueError: no .main.py:8", text="raise ValueError('no')"),
    Python("python_returns_the_hosts_memory", ERROR, "is not in the GPU's memory", text="return (2 * x).cpu()",
           needs_device=True),
    Python("python_starts_a_program", ERROR, "Error", text="subprocess.run(['/bin/true'])\nreturn 2 * x"),
    # Triton's compilers are programs: its first call may start them.
    Python("triton", text="return 2 * x", language="triton"),
    Python("triton_compiles", language="triton", before="made = []",
           text="made or made.append(subprocess.run(['/bin/true'], check=True))\nreturn 2 * x"),
    Python("triton_compiles_late", ERROR, "Error", language="triton",
           text="subprocess.run(['/bin/true'], check=True)\nreturn 2 * x"),
    Python("triton_leaves_a_program", ERROR, "LEFT_PROCESS", language="triton",
           text="subprocess.Popen(['/bin/sleep', '5'])\nreturn 2 * x"),
    Torch("torch"),
    Torch("torch_traps", ERROR, "GPU_ERROR", line="if (i == 77) __trap(); " + RIGHT),
]
