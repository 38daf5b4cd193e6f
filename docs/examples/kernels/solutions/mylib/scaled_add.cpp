// self + factor * other.
#include "kbench_kernel.h"

namespace mylib::native {
namespace {

using namespace kbench::kernels;

bool is_dense_alike(const Tensor& a, const Tensor& b) {
  if (a.dim() != b.dim()) return false;
  for (int64_t d = 0; d < a.dim(); ++d) {
    const auto i = static_cast<size_t>(d);
    if (a.sizes()[i] != b.sizes()[i] || a.dim_order()[i] != b.dim_order()[i]) return false;
  }
  return true;
}

template <typename T>
void add(const Tensor& self, const Tensor& other, double factor, Tensor& out) {
  const T* const a = self.const_data_ptr<T>();
  const T* const b = other.const_data_ptr<T>();
  T* const to = out.mutable_data_ptr<T>();
  for (int64_t i = 0; i < self.numel(); ++i) to[i] = a[i] + static_cast<T>(factor) * b[i];
}

}  // namespace

// Float and Double; tensors of one shape and one dim order.
Tensor& scaled_add_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                       double factor, Tensor& out) {
  const ScalarType type = self.scalar_type();
  KBENCH_KERNEL_CHECK(context, type == ScalarType::Float || type == ScalarType::Double,
                      InvalidArgument, out, "self must be Float or Double");
  KBENCH_KERNEL_CHECK(context, other.scalar_type() == type && out.scalar_type() == type,
                      InvalidArgument, out, "self, other and out must have one dtype");
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has no room for the sizes of self");
  KBENCH_KERNEL_CHECK(context, is_dense_alike(self, other) && is_dense_alike(self, out),
                      InvalidArgument, out, "self, other and out must lie in one dim order");
  type == ScalarType::Float ? add<float>(self, other, factor, out)
                            : add<double>(self, other, factor, out);
  return out;
}

// Registered for contiguous Float matrices alone.
Tensor& scaled_add_float_out(KernelRuntimeContext& context, const Tensor& self,
                             const Tensor& other, double factor, Tensor& out) {
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has no room for the sizes of self");
  KBENCH_KERNEL_CHECK(context, is_dense_alike(self, other), InvalidArgument, out,
                      "self and other must have one shape");
  add<float>(self, other, factor, out);
  return out;
}

}  // namespace mylib::native
