// SPDX-License-Identifier: Apache-2.0
// aten::permute_copy.out: dimension i of the output is dimension dims[i] of self.
#include "copy.h"
#include "dtypes.h"

namespace kbench_cpu {
namespace {

// False where dims is no permutation of self's dimensions. `strides` are self's in out's order.
bool permute(const Tensor& self, ArrayRef<int64_t> dims, Shape& shape, Strides& strides) {
  if (static_cast<int64_t>(dims.size()) != self.dim()) return false;
  bool is_taken[kRank] = {};
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t from = dims[i];
    if (!wrap_dim(from, self.dim()) || is_taken[from]) return false;
    is_taken[from] = true;
    shape.append(self.size(from));
    strides[i] = stride(self, from);
  }
  return true;
}

}  // namespace

namespace native {

Tensor& permute_copy_out(KernelRuntimeContext& context, const Tensor& self, ArrayRef<int64_t> dims,
                         Tensor& out) {
  const ScalarType type = self.scalar_type();
  KBENCH_KERNEL_CHECK(context, is_any(type), InvalidArgument, out,
                      "self has an element type that permute_copy does not take");
  KBENCH_KERNEL_CHECK(context, out.scalar_type() == type, InvalidArgument, out,
                      "self and out must have one element type");
  Shape shape;
  Strides strides = {};
  KBENCH_KERNEL_CHECK(context, permute(self, dims, shape, strides), InvalidArgument, out,
                      "dims must name each dimension of self once");
  if (!resize(context, out, shape) || !lies_apart(context, out, self)) return out;
  copy(Walk<2>(shape, {strides_of(out), strides}), bytes_to(out), bytes_of(self),
       self.element_size());
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
