// Kernels that do nothing, in a file of their own so that no call is inlined.
#include "NativeFunctions.h"

namespace bench::native {
using namespace kbench::kernels;

#define KERNEL(name) \
  Tensor& name(KernelRuntimeContext&, const Tensor&, const Tensor&, Tensor& out) { return out; }
KERNEL(touch_out)
KERNEL(touch_float_out)
KERNEL(touch_double_out)
KERNEL(touch_half_out)
KERNEL(touch_long_out)

}  // namespace bench::native
