// SPDX-License-Identifier: Apache-2.0
// aten::embedding.out: the rows of a table that indices name. All indices are looked at before
// anything is written.
#include "copy.h"
#include "dtypes.h"

namespace kbench_cpu {
namespace {

template <typename Index>
bool are_below(const Tensor& indices, int64_t rows) {
  const auto* const index = static_cast<const Index*>(indices.const_data_ptr());
  bool are = true;
  for (int64_t i = 0; i < indices.numel(); ++i) are = are && index[i] >= 0 && index[i] < rows;
  return are;
}

template <typename Index>
void gather(const Tensor& weight, const Tensor& indices, Tensor& out) {
  const auto* const index = static_cast<const Index*>(indices.const_data_ptr());
  const int64_t width = weight.element_size();
  const int last = rank(out) - 1;
  Shape row;
  row.append(weight.size(1));
  const Walk<2> elements(row, {Strides{stride(out, last)}, Strides{stride(weight, 1)}});
  const Shape shape = shape_of(indices);
  const Walk<2> rows(shape, {strides_of(out), strides_of(indices)});  // but out's last dimension
  rows.for_each_run([&](const Offsets<2>& at, int64_t n, const Offsets<2>& step) {
    for (int64_t i = 0; i < n; ++i) {
      const auto one = static_cast<int64_t>(index[at.of[1] + i * step.of[1]]);
      copy(elements, bytes_to(out) + (at.of[0] + i * step.of[0]) * width,
           bytes_of(weight) + one * stride(weight, 0) * width, width);
    }
  });
}

}  // namespace

namespace native {

// padding_idx, scale_grad_by_freq and sparse say how gradients are made, of which there are none.
Tensor& embedding_out(KernelRuntimeContext& context, const Tensor& weight, const Tensor& indices,
                      int64_t padding_idx, bool scale_grad_by_freq, bool sparse, Tensor& out) {
  static_cast<void>(padding_idx);
  static_cast<void>(scale_grad_by_freq);
  static_cast<void>(sparse);
  const ScalarType type = weight.scalar_type();
  const bool is_long = indices.scalar_type() == ScalarType::Long;
  KBENCH_KERNEL_CHECK(context, is_any(type), InvalidArgument, out,
                      "weight has an element type that embedding does not take");
  KBENCH_KERNEL_CHECK(context, out.scalar_type() == type, InvalidArgument, out,
                      "weight and out must have one element type");
  KBENCH_KERNEL_CHECK(context, is_long || indices.scalar_type() == ScalarType::Int, InvalidArgument,
                      out, "indices must be Int or Long");
  KBENCH_KERNEL_CHECK(context, weight.dim() == 2, InvalidArgument, out,
                      "weight must have two dimensions");
  Shape shape = shape_of(indices);
  KBENCH_KERNEL_CHECK(context, shape.append(weight.size(1)), InvalidArgument, out,
                      "indices have too many dimensions");
  const int64_t rows = weight.size(0);
  KBENCH_KERNEL_CHECK(
      context, is_long ? are_below<int64_t>(indices, rows) : are_below<int32_t>(indices, rows),
      InvalidArgument, out, "an index names no row of weight");
  if (!resize(context, out, shape) || !lies_apart(context, out, weight)) return out;
  if (!lies_apart(context, out, indices)) return out;
  is_long ? gather<int64_t>(weight, indices, out) : gather<int32_t>(weight, indices, out);
  return out;
}

}  // namespace native
}  // namespace kbench_cpu
