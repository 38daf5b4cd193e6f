// Additions for certain dtypes, as functions of one name in two namespaces.
#include "kbench_kernel.h"

namespace {

using namespace kbench::kernels;

template <typename A, typename B, typename Out>
Tensor& add(KernelRuntimeContext& context, const Tensor& a, const Tensor& b, Tensor& out,
            ScalarType (&types)[3]) {
  const bool is_good = a.scalar_type() == types[0] && b.scalar_type() == types[1] &&
                       out.scalar_type() == types[2] && a.dim() == 1 && b.dim() == 1 &&
                       a.size(0) == b.size(0) && resize_tensor(out, a.sizes()) == Error::Ok;
  KBENCH_KERNEL_CHECK(context, is_good, InvalidArgument, out, "other dtypes or sizes");
  for (int64_t i = 0; i < a.numel(); ++i)
    out.mutable_data_ptr<Out>()[i] = Out(static_cast<float>(a.const_data_ptr<A>()[i]) +
                                         static_cast<float>(b.const_data_ptr<B>()[i]));
  return out;
}

constexpr ScalarType F = ScalarType::Float, H = ScalarType::Half;

}  // namespace

namespace few::native {
// Serves at most 8 elements, as its condition says.
Tensor& add_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                Tensor& out) {
  KBENCH_KERNEL_CHECK(context, self.numel() <= 8, InvalidArgument, out, "too many");
  ScalarType types[] = {F, F, F};
  return add<float, float, float>(context, self, other, out, types);
}
}  // namespace few::native

namespace any::native {
Tensor& add_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                Tensor& out) {
  if (self.scalar_type() == H) {
    ScalarType types[] = {H, H, H};
    return add<Half, Half, Half>(context, self, other, out, types);
  }
  ScalarType types[] = {F, F, F};
  return add<float, float, float>(context, self, other, out, types);
}
Tensor& add_hhf(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                Tensor& out) {
  ScalarType types[] = {H, H, F};
  return add<Half, Half, float>(context, self, other, out, types);
}
Tensor& add_hff(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                Tensor& out) {
  ScalarType types[] = {H, F, F};
  return add<Half, float, float>(context, self, other, out, types);
}
// Belongs to another operator: the Definition's second tag links to nothing.
Tensor& subtract_out(KernelRuntimeContext& context, const Tensor&, const Tensor&, Tensor& out) {
  KBENCH_KERNEL_CHECK(context, false, NotSupported, out, "not called");
  return out;
}
}  // namespace any::native
