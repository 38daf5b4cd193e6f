// SPDX-License-Identifier: Apache-2.0
// aten::mm.out: the product of two matrices.
#include "kernels.h"
#include "matmul.h"

namespace kbench_cpu::native {

Tensor& mm_out(KernelRuntimeContext& context, const Tensor& self, const Tensor& mat2, Tensor& out) {
  const char* const problem = matmul_type_problem(self, mat2, out);
  KBENCH_KERNEL_CHECK(context, *problem == '\0', InvalidArgument, out, problem);
  KBENCH_KERNEL_CHECK(context, self.dim() == 2 && mat2.dim() == 2, InvalidArgument, out,
                      "self and mat2 must have two dimensions");
  KBENCH_KERNEL_CHECK(context, self.size(1) == mat2.size(0), InvalidArgument, out,
                      "mat2 must have as many rows as self has columns");
  Shape shape;
  shape.append(self.size(0));
  shape.append(mat2.size(1));
  if (!resize(context, out, shape)) return out;
  if (!lies_apart(context, out, self) || !lies_apart(context, out, mat2)) return out;
  visit_number(self.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    multiply(matrix<const T>(self, self.const_data_ptr()),
             matrix<const T>(mat2, mat2.const_data_ptr()), matrix<T>(out, out.mutable_data_ptr()),
             {self.size(0), mat2.size(1), self.size(1)});
  });
  return out;
}

}  // namespace kbench_cpu::native
