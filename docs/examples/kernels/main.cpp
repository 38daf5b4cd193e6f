// Calls an operator directly, and by its name.
#include <cstdio>

#include "Functions.h"
#include "kbench_registry.h"

using namespace kbench::kernels;

namespace {

TensorImpl matrix(float* data, int64_t rows, int64_t columns) {
  TensorImpl impl;
  impl.data = data;
  impl.capacity = static_cast<size_t>(rows * columns) * sizeof(float);
  impl.dim = 2;
  impl.sizes[0] = rows;
  impl.sizes[1] = columns;
  impl.dim_order[1] = 1;
  impl.set_dense_strides();
  return impl;
}

}  // namespace

int main() {
  float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40}, c[4];
  TensorImpl impls[] = {matrix(a, 2, 2), matrix(b, 2, 2), matrix(c, 2, 2)};
  Tensor self(&impls[0]), other(&impls[1]), out(&impls[2]);

  KernelRuntimeContext context;
  torch::executor::mylib::scaled_add_outf(context, self, other, 0.5, out);
  std::printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);

  const DimOrderType order[] = {0, 1};
  const TensorMeta metas[] = {{ScalarType::Float, order}, {ScalarType::Float, order},
                              {ScalarType::Float, order}};
  const auto function = get_op_function_from_registry("mylib::scaled_add.out", metas);
  if (!function.ok()) return 1;
  EValue values[] = {self, other, 2.0, out, {}};
  EValue* stack[] = {&values[0], &values[1], &values[2], &values[3], &values[4]};
  function.get()(context, {stack, 5});
  std::printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]);
  return context.failure_state() == Error::Ok ? 0 : 1;
}
