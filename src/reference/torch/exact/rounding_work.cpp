#include "reference/torch/exact/rounding_work.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/words.hpp"
#include "reference/torch/exact/operator_names.hpp"

namespace kbench {
namespace {

using c10::IValue;
using c10::OperatorHandle;
using Given = std::vector<IValue>;

// Rates of a processor of any kind, roughly: only that they are the same everywhere matters.
constexpr double seconds_a_call = 1e-5, seconds_an_element = 2e-9, seconds_a_term = 2e-10;

struct ProductByLeft {
  std::string_view name;
  std::size_t left;  // index of the argument whose last axis is summed over
};
constexpr ProductByLeft products_by_left[] = {
    {"matmul", 0},  {"linear", 0}, {"mm", 0},       {"bmm", 0},   {"mv", 0},
    {"dot", 0},     {"vdot", 0},   {"inner", 0},    {"addmm", 1}, {"addmv", 1},
    {"baddbmm", 1}, {"addbmm", 1}, {"bilinear", 0}, {"cdist", 0}};

double count(const at::Tensor& tensor) { return static_cast<double>(tensor.numel()); }

const at::Tensor* tensor_at(const Given& given, std::size_t i) {
  if (i >= given.size() || !given[i].isTensor() || !given[i].toTensor().defined()) return nullptr;
  return &given[i].toTensor();
}

double last_extent(const at::Tensor& tensor) {
  return tensor.dim() == 0 ? 1 : static_cast<double>(tensor.size(-1));
}

// Returns the product of the lengths of the axes that an argument names.
double named_axes(const OperatorHandle& op, const Given& given, const at::Tensor& of) {
  const auto& arguments = op.schema().arguments();
  for (std::size_t i = 1; i < given.size(); ++i) {
    const std::string& name = arguments[i].name();
    if (name == "dim" && given[i].isInt() && of.dim() > 0)
      return static_cast<double>(of.size(given[i].toInt()));
    if (name == "normalized_shape" && given[i].isIntList()) {
      double product = 1;
      for (const std::int64_t length : given[i].toIntVector())
        product *= static_cast<double>(length);
      return product;
    }
  }
  return of.dim() > 1 ? count(of) / static_cast<double>(std::max<std::int64_t>(of.size(1), 1))
                      : count(of);
}

double summed(const OperatorHandle& op, const Given& given, const at::Tensor& result) {
  const at::Tensor* of = tensor_at(given, 0);
  if (of == nullptr) return 1;
  const double left = std::max(count(result), 1.0);
  return left < count(*of) ? count(*of) / left : named_axes(op, given, *of);
}

double largest_argument(const Given& given) {
  double largest = 1;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (const at::Tensor* tensor = tensor_at(given, i)) largest = std::max(largest, count(*tensor));
  return largest;
}

// Returns the number of terms in a·b over some axes: a and b have each of them, the result has
// none.
double contracted(const Given& given, const at::Tensor& result) {
  double product = 1;
  for (const IValue& value : given) {
    if (value.isTensor()) product *= count(value.toTensor());
    if (!value.isTensorList()) continue;
    for (const at::Tensor& tensor : value.toTensorVector()) product *= count(tensor);
  }
  return std::sqrt(product / std::max(count(result), 1.0));
}

// Returns the terms of operators with two tensors that no table lists; 1 for any other.
double terms_of_two(std::string_view name, const at::Tensor& first, const at::Tensor& second) {
  if (name.find("scaled_dot_product") != std::string_view::npos)
    return std::max(last_extent(first),
                    second.dim() > 1 ? static_cast<double>(second.size(-2)) : 1.0);
  if (name.starts_with("conv") && second.dim() > 0)
    return count(second) / static_cast<double>(std::max<std::int64_t>(second.size(0), 1));
  return 1;
}

double terms_of(const OperatorHandle& op, std::string_view name, const Given& given,
                const at::Tensor& result) {
  for (const ProductByLeft& row : products_by_left) {
    if (const at::Tensor* left = tensor_at(given, row.left); row.name == name && left != nullptr)
      return last_extent(*left);
  }
  if (name == "einsum" || name == "tensordot") return contracted(given, result);
  if (is_sum(name)) return summed(op, given, result);
  if (is_gathering(name)) return largest_argument(given);
  const at::Tensor *first = tensor_at(given, 0), *second = tensor_at(given, 1);
  return first && second ? terms_of_two(name, *first, *second) : 1;
}

constexpr std::string_view plain_sums[] = {"sum", "nansum", "mean", "nanmean", "cumsum"};
constexpr std::string_view sums_of_squares[] = {"norm", "linalg_norm", "linalg_vector_norm",
                                                "frobenius_norm"};

// Tells whether the argument is whole numbers whose sum, or that of their squares, float32 has in
// any order: then no term is rounded. Most tensors end it at their first element.
bool sums_exactly(std::string_view name, const Given& given) {
  const bool squares = is_one_of(name, sums_of_squares);
  const at::Tensor* const of = tensor_at(given, 0);
  if ((!squares && !is_one_of(name, plain_sums)) || of == nullptr) return false;
  if (of->scalar_type() != at::kDouble || of->numel() == 0) return false;
  const at::Tensor whole = of->contiguous();
  const double* const values = whole.const_data_ptr<double>();
  constexpr double largest = 0x1p24;
  double sum = 0;
  for (std::int64_t i = 0; i < whole.numel() && sum <= largest; ++i) {
    if (values[i] != std::trunc(values[i])) return false;
    sum += squares ? values[i] * values[i] : std::fabs(values[i]);
  }
  return sum <= largest;
}

bool rounds(const OperatorHandle& op, std::string_view name, double terms) {
  return terms > 1 || (op.hasTag(at::Tag::pointwise) && !never_rounds(name));
}

}  // namespace

void RoundingWork::add(const OperatorHandle& op, const Given& given, const IValue& result) {
  if (!result.isTensor() || !result.toTensor().defined()) return;
  const at::Tensor& made = result.toTensor();
  const std::string_view name = bare_name(op);
  const double terms =
      sums_exactly(name, given) ? 1 : std::max(terms_of(op, name, given, made), 1.0);
  const bool multiplies = terms > 1 && !is_sum(name) && !is_gathering(name);
  seconds_ += seconds_a_call + seconds_an_element * std::max(count(made), largest_argument(given)) +
              (multiplies ? seconds_a_term * count(made) * terms : 0);
  if (made.scalar_type() != at::kDouble) return;
  longest_ = std::max(longest_, terms);
  if (rounds(op, name, terms)) made_[std::string(name)] += count(made);
}

int runs_within(double budget_seconds, double run_seconds, RunCounts counts) {
  const double worth = budget_seconds / std::max(run_seconds, 1e-9);
  return static_cast<int>(
      std::clamp(worth, static_cast<double>(counts.least), static_cast<double>(counts.most)));
}

bool RoundingWork::shares_an_error() const {
  return std::any_of(made_.begin(), made_.end(), [](const auto& one) { return one.second == 1; });
}

}  // namespace kbench
