#include <cstdio>
#include <stdexcept>

#include "NativeFunctions.h"

namespace lib::native {

using namespace kbench::kernels;
using Context = KernelRuntimeContext;

Tensor& add(Context&, const Tensor&, const Tensor&, const Scalar& alpha, Tensor& out) {
  std::printf("add %g\n", alpha.to<double>());
  return out;
}
Tensor& add_float(Context&, const Tensor&, const Tensor&, const Scalar&, Tensor& out) {
  return std::puts("add_float"), out;
}
Tensor& add_last(Context&, const Tensor&, const Tensor&, const Scalar&, Tensor& out) {
  return std::puts("add_last"), out;
}
Tensor& add_long(Context&, const Tensor&, const Tensor&, const Scalar&, Tensor& out) {
  return std::puts("add_long"), out;
}
Tensor& only(Context&, const Tensor&, const std::optional<Tensor>& maybe, Tensor& out) {
  return std::puts(maybe ? "only with" : "only without"), out;
}
std::tuple<Tensor, Tensor> two(Context&, const Tensor& x, int64_t k, std::string_view s) {
  std::printf("two %d %.*s\n", static_cast<int>(k), static_cast<int>(s.size()), s.data());
  return {x, x};
}
void lists(Context&, TensorList tensors, ArrayRef<int64_t> sizes, std::optional<double> scale,
           TensorList out) {
  std::printf("lists %zu %zu %g %zu\n", tensors.size(), sizes.size(), scale.value_or(-1),
              out.size());
}
Tensor& throws(Context&, const Tensor&, Tensor&) { throw std::runtime_error("on purpose"); }

}  // namespace lib::native
