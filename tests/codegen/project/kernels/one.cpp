#include "kbench_kernel.h"

namespace one::native {

using namespace kbench::kernels;

Tensor& twice_out(KernelRuntimeContext&, const Tensor&, Tensor& out) { return out; }
Tensor& twice_float_out(KernelRuntimeContext&, const Tensor&, Tensor& out) { return out; }

}  // namespace one::native
