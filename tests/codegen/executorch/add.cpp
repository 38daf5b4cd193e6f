// Style of ExecuTorch's own library: everything by names of torch::executor.
#include <executorch/runtime/kernel/kernel_includes.h>

namespace torch {
namespace executor {
namespace native {

using Tensor = executorch::aten::Tensor;
using ScalarType = executorch::aten::ScalarType;

namespace {

template <typename CTYPE>
void add_all(const Tensor& self, const Tensor& other, CTYPE alpha, Tensor& out) {
  const CTYPE* const a = self.const_data_ptr<CTYPE>();
  const CTYPE* const b = other.const_data_ptr<CTYPE>();
  CTYPE* const to = out.mutable_data_ptr<CTYPE>();
  for (ssize_t i = 0; i < out.numel(); ++i) to[i] = static_cast<CTYPE>(a[i] + alpha * b[i]);
}

}  // namespace

Tensor& add_out(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& other,
                const executorch::aten::Scalar& alpha, Tensor& out) {
  ET_KERNEL_CHECK(ctx, tensors_have_same_dtype(self, other, out), InvalidArgument, out);
  ET_KERNEL_CHECK(ctx, tensors_have_same_shape(self, other), InvalidArgument, out);
  ET_KERNEL_CHECK(ctx, tensors_have_same_dim_order(self, other, out), InvalidArgument, out);
  ET_KERNEL_CHECK(ctx, tensor_is_contiguous(self) && tensor_is_contiguous(other), InvalidArgument,
                  out);
  ET_KERNEL_CHECK_MSG(ctx, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has %zu dimensions", static_cast<size_t>(out.dim()));
  ET_SWITCH_REALHBBF16_TYPES(self.scalar_type(), ctx, "add.out", CTYPE, [&]() {
    const CTYPE factor = static_cast<CTYPE>(alpha.to<double>());
    add_all<CTYPE>(self, other, factor, out);
  });
  return out;
}

}  // namespace native
}  // namespace executor
}  // namespace torch
