// 0 for what is below 0; NaN stays.
#include "kbench_kernel.h"

namespace mylib::native {

using namespace kbench::kernels;

Tensor& relu_out(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  KBENCH_KERNEL_CHECK(context, self.scalar_type() == ScalarType::Float, InvalidArgument, out,
                      "self must be Float");
  KBENCH_KERNEL_CHECK(context, out.scalar_type() == ScalarType::Float, InvalidArgument, out,
                      "out must be Float");
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has no room for the sizes of self");
  for (size_t d = 0; d < static_cast<size_t>(self.dim()); ++d) {
    KBENCH_KERNEL_CHECK(context, self.dim_order()[d] == out.dim_order()[d], InvalidArgument, out,
                        "self and out must lie in one dim order");
  }
  const float* const from = self.const_data_ptr<float>();
  float* const to = out.mutable_data_ptr<float>();
  for (int64_t i = 0; i < self.numel(); ++i) to[i] = from[i] < 0 ? 0 : from[i];
  return out;
}

}  // namespace mylib::native
