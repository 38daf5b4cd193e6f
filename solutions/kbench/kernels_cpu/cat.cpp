// SPDX-License-Identifier: Apache-2.0
// aten::cat.out: tensors one after the other along a dimension.
#include "copy.h"
#include "dtypes.h"

namespace kbench_cpu {
namespace {

// PyTorch leaves out tensors of sizes [0], whatever the sizes of the others.
bool is_left_out(const Tensor& tensor) { return tensor.dim() == 1 && tensor.size(0) == 0; }

const Tensor* find_first(TensorList tensors) {
  for (const Tensor& tensor : tensors) {
    if (!is_left_out(tensor)) return &tensor;
  }
  return nullptr;
}

// `shape` has the first tensor's sizes, and 0 along dim.
bool append(const Tensor& tensor, int64_t dim, Shape& shape) {
  if (rank(tensor) != shape.dim) return false;
  for (int i = 0; i < shape.dim; ++i) {
    if (i != dim && tensor.size(i) != shape.sizes[i]) return false;
  }
  const int64_t length = shape.sizes[dim] + tensor.size(dim);
  shape.sizes[dim] = static_cast<SizesType>(length);
  return shape.sizes[dim] == length;
}

// "" where the tensors go together; `dim` is wrapped, `shape` out's.
const char* join_problem(TensorList tensors, int64_t& dim, Shape& shape) {
  const Tensor* const first = find_first(tensors);
  if (first == nullptr) {
    dim = 0;
    shape.append(0);
    return "";
  }
  if (first->dim() == 0) return "a tensor of no dimensions cannot be joined to others";
  if (!wrap_dim(dim, first->dim())) return "dim is out of the tensors' range";
  shape = shape_of(*first);
  shape.sizes[dim] = 0;
  for (const Tensor& tensor : tensors) {
    if (!is_left_out(tensor) && !append(tensor, dim, shape))
      return "the tensors must have one rank, and the same sizes but along dim";
  }
  return "";
}

bool have_type(TensorList tensors, ScalarType type) {
  bool have = true;
  for (const Tensor& tensor : tensors) have = have && tensor.scalar_type() == type;
  return have;
}

void join(TensorList tensors, int64_t dim, Tensor& out) {
  char* to = bytes_to(out);
  const int64_t width = out.element_size();
  for (const Tensor& tensor : tensors) {
    if (is_left_out(tensor)) continue;
    const Walk<2> walk(shape_of(tensor), {strides_of(out), strides_of(tensor)});
    copy(walk, to, bytes_of(tensor), width);
    to += tensor.size(dim) * stride(out, dim) * width;
  }
}

}  // namespace

namespace native {

Tensor& cat_out(KernelRuntimeContext& context, TensorList tensors, int64_t dim, Tensor& out) {
  const ScalarType type = out.scalar_type();
  KBENCH_KERNEL_CHECK(context, !tensors.empty(), InvalidArgument, out,
                      "cat takes one tensor at least");
  KBENCH_KERNEL_CHECK(context, is_any(type), InvalidArgument, out,
                      "out has an element type that cat does not take");
  KBENCH_KERNEL_CHECK(context, have_type(tensors, type), InvalidArgument, out,
                      "tensors and out must have one element type");
  Shape shape;
  const char* const problem = join_problem(tensors, dim, shape);
  KBENCH_KERNEL_CHECK(context, *problem == '\0', InvalidArgument, out, problem);
  if (!resize(context, out, shape)) return out;
  for (const Tensor& tensor : tensors) {
    if (!lies_apart(context, out, tensor)) return out;
  }
  join(tensors, dim, out);
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
