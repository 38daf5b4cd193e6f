#include "reference/torch/exact/work_count.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/words.hpp"

namespace kbench {
namespace {

using c10::OperatorHandle;
using torch::jit::Stack;
using Tensors = std::vector<at::Tensor>;  // arguments of an operator, undefined where it has others

double count_if_defined(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<double>(tensor.numel()) : 0;
}

double extent(const at::Tensor& tensor, std::int64_t axis) {
  return tensor.dim() == 0 ? 1 : static_cast<double>(tensor.size(axis));
}

// [..., m, k] by [..., k, n], or vectors in either place.
double product(const at::Tensor& a, const at::Tensor& b) {
  return 2 * count_if_defined(a) * (b.dim() < 2 ? 1 : extent(b, -1));
}

double convolution(const Tensors& given, const at::Tensor& result, bool transposed) {
  const at::Tensor& weight = given[1];
  const double each = count_if_defined(weight) / std::max(extent(weight, 0), 1.0);
  return 2 * count_if_defined(transposed ? given[0] : result) * each;
}

double attention(const Tensors& given) {
  const at::Tensor &q = given[0], &k = given[1], &v = given[2];
  const double rows = count_if_defined(q) / std::max(extent(q, -1), 1.0);
  return 2 * rows * extent(k, -2) * (extent(q, -1) + extent(v, -1));
}

struct MultipliedArguments {
  std::string_view name;
  std::size_t left, right;  // which arguments are multiplied
};
constexpr MultipliedArguments multiplied_arguments[] = {
    {"aten::mm", 0, 1},     {"aten::bmm", 0, 1},     {"aten::mv", 0, 1},
    {"aten::dot", 0, 1},    {"aten::vdot", 0, 1},    {"aten::addmm", 1, 2},
    {"aten::addmv", 1, 2},  {"aten::baddbmm", 1, 2}, {"aten::addbmm", 1, 2},
    {"aten::addmm_", 1, 2}, {"aten::addmv_", 1, 2},  {"aten::baddbmm_", 1, 2},
    {"aten::addbmm_", 1, 2}};

constexpr std::string_view reductions[] = {"aten::sum",
                                           "aten::mean",
                                           "aten::prod",
                                           "aten::amax",
                                           "aten::amin",
                                           "aten::max",
                                           "aten::min",
                                           "aten::argmax",
                                           "aten::argmin",
                                           "aten::all",
                                           "aten::any",
                                           "aten::var",
                                           "aten::std",
                                           "aten::var_mean",
                                           "aten::std_mean",
                                           "aten::logsumexp",
                                           "aten::cumsum",
                                           "aten::cumprod",
                                           "aten::norm",
                                           "aten::linalg_vector_norm",
                                           "aten::_softmax",
                                           "aten::_log_softmax",
                                           "aten::nansum",
                                           "aten::aminmax",
                                           "aten::count_nonzero",
                                           "aten::native_layer_norm",
                                           "aten::native_group_norm",
                                           "aten::_fused_rms_norm"};

// LibTorch calls them element-wise, but they only move.
constexpr std::string_view moves[] = {"aten::clone", "aten::copy",  "aten::copy_",   "aten::fill",
                                      "aten::fill_", "aten::zero_", "aten::_to_copy"};

double work_of(const OperatorHandle& op, const Tensors& given, const at::Tensor& result,
               bool transposed) {
  const std::string_view name = op.schema().name();
  for (const MultipliedArguments& row : multiplied_arguments) {
    if (row.name == name) return product(given[row.left], given[row.right]);
  }
  if (name == "aten::convolution") return convolution(given, result, transposed);
  if (name.substr(0, 35) == "aten::_scaled_dot_product_flash_att") return attention(given);
  if (is_one_of(name, reductions)) return given.empty() ? 0 : count_if_defined(given[0]);
  if (op.hasTag(at::Tag::pointwise) && !is_one_of(name, moves)) return count_if_defined(result);
  return 0;
}

// Where in a convolution's arguments the flag stands: input, weight, bias, stride, padding,
// dilation, transposed, …
constexpr std::size_t transposed_at = 6;

}  // namespace

void WorkCount::run(const OperatorHandle& op, c10::DispatchKeySet keys, Stack& stack) {
  if (op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)) {
    return run_parts_watched(op, keys, stack);
  }
  const auto arguments = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
  const std::vector<c10::IValue> given(stack.end() - arguments, stack.end());
  Tensors tensors;
  for (const c10::IValue& value : given)
    tensors.push_back(value.isTensor() ? value.toTensor() : at::Tensor());
  const bool transposed = given.size() > transposed_at && given[transposed_at].isBool() &&
                          given[transposed_at].toBool();
  const WatchNothing unwatched;
  op.callBoxed(&stack);
  const c10::ArrayRef<c10::IValue> all(stack);
  const auto results = all.slice(stack.size() - op.schema().returns().size());
  const bool has_tensor = !results.empty() && results.front().isTensor();
  flops_ +=
      work_of(op, tensors, has_tensor ? results.front().toTensor() : at::Tensor(), transposed);
  reads_.add(op, given, results);
}

double WorkCount::bytes_read(const c10::IValue& returned) {
  const WatchNothing unwatched;
  reads_.read(returned);
  return reads_.bytes();
}

}  // namespace kbench
