#include "kbench_kernel.h"

namespace two::native {

using namespace kbench::kernels;

Tensor& half_out(KernelRuntimeContext&, const Tensor&, Tensor& out) { return out; }

}  // namespace two::native
