// SPDX-License-Identifier: Apache-2.0
// aten::bmm.out: the products of two batches of matrices.
#include "matmul.h"

namespace kbench_cpu {
namespace {

template <typename T>
void multiply_batch(const Tensor& self, const Tensor& mat2, Tensor& out) {
  Matrix<const T> a = matrix<const T>(self, self.const_data_ptr());
  Matrix<const T> b = matrix<const T>(mat2, mat2.const_data_ptr());
  Matrix<T> y = matrix<T>(out, out.mutable_data_ptr());
  for (int64_t i = 0; i < self.size(0); ++i) {
    multiply(a, b, y, {self.size(1), mat2.size(2), self.size(2)});
    a.data += stride(self, 0);
    b.data += stride(mat2, 0);
    y.data += stride(out, 0);
  }
}

}  // namespace

namespace native {

Tensor& bmm_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& mat2,
                Tensor& out) {
  const char* const problem = matmul_type_problem(self, mat2, out);
  KBENCH_KERNEL_CHECK(context, *problem == '\0', InvalidArgument, out, problem);
  KBENCH_KERNEL_CHECK(context, self.dim() == 3 && mat2.dim() == 3, InvalidArgument, out,
                      "self and mat2 must have three dimensions");
  KBENCH_KERNEL_CHECK(context, self.size(0) == mat2.size(0), InvalidArgument, out,
                      "self and mat2 must have as many matrices");
  KBENCH_KERNEL_CHECK(context, self.size(2) == mat2.size(1), InvalidArgument, out,
                      "mat2's matrices must have as many rows as self's have columns");
  Shape shape;
  shape.append(self.size(0));
  shape.append(self.size(1));
  shape.append(mat2.size(2));
  if (!resize(context, out, shape)) return out;
  if (!lies_apart(context, out, self) || !lies_apart(context, out, mat2)) return out;
  visit_number(self.scalar_type(),
               [&](auto tag) { multiply_batch<typename decltype(tag)::type>(self, mat2, out); });
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
