#include "NativeFunctions.h"

namespace lib::native {

using namespace kbench::kernels;

Tensor& scale(KernelRuntimeContext&, const Tensor&, double, Tensor& out) { return out; }
Tensor& scale_dense(KernelRuntimeContext&, const Tensor&, double, Tensor& out) { return out; }
Tensor add(KernelRuntimeContext&, const Tensor& x, const std::optional<Tensor>&) { return x; }

}  // namespace lib::native
