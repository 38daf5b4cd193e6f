#include "reference/torch/exact/inner_rounding.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/words.hpp"
#include "problem/origin.hpp"
#include "reference/torch/exact/operator_names.hpp"

namespace kbench {
namespace {

using c10::IValue;
using Given = std::vector<IValue>;

// Sizes that are infinite count as 0: infinity is not off by a part of itself.
at::Tensor random_part(const at::Tensor& size, const at::Generator& random) {
  return at::empty_like(size).uniform_(-1, 1, random).mul_(size.nan_to_num(0, 0, 0));
}

// Handles x·½·(1 + erf(x/√2)), or by tanh: the function has been rounded when 1 is added to it.
at::Tensor in_gelu(const Given& given, const at::Tensor&, const at::Generator& random) {
  return random_part(given[0].toTensor().abs() / 2, random);
}

double terms_of(const at::Tensor& all, const at::Tensor& sums) {
  return static_cast<double>(all.numel()) /
         static_cast<double>(std::max<std::int64_t>(sums.numel(), 1));
}

// Returns the part of itself by which the sum of n numbers of one sign is off, uniform, in
// roundings: the k-th partial sum has k/n of the result, so that n roundings make √(n/9) of one.
double part_of_sum(double terms) { return std::sqrt(terms / 3); }

at::Tensor of_normalisers(const at::Tensor& x, std::int64_t dim, const at::Generator& random) {
  const at::Tensor normalisers = at::logsumexp(x, dim, true);
  const double sum = part_of_sum(terms_of(x, normalisers));
  return random_part((normalisers.square() + sum * sum).sqrt(), random);
}

// Handles e^x / Σ e^x: a row shares its sum.
at::Tensor in_softmax(const Given& given, const at::Tensor& result, const at::Generator& random) {
  if (result.dim() == 0) return {};
  const at::Tensor sums = result.sum(given[1].toInt(), true);
  return result * random_part(at::full_like(sums, part_of_sum(terms_of(result, sums))), random);
}

// Handles x - log Σ e^x: a row shares its normaliser.
at::Tensor in_log_softmax(const Given& given, const at::Tensor&, const at::Generator& random) {
  const at::Tensor x = given[0].toTensor();
  return x.dim() == 0 ? at::Tensor() : of_normalisers(x, given[1].toInt(), random);
}

// Handles log Σ e^x - x[target], of each row, or their mean or sum.
at::Tensor in_cross_entropy(const Given& given, const at::Tensor&, const at::Generator& random) {
  constexpr std::int64_t mean = 1, sum = 2;
  const at::Tensor x = given[0].toTensor();
  const at::Tensor rows =
      of_normalisers(x, x.dim() == 1 ? 0 : 1, random).squeeze(x.dim() == 1 ? 0 : 1);
  const std::int64_t reduction = given[3].toInt();
  return reduction == mean ? rows.mean() : reduction == sum ? rows.sum() : rows;
}

at::Tensor in_logsumexp(const Given& given, const at::Tensor& result, const at::Generator& random) {
  const double part = part_of_sum(terms_of(given[0].toTensor(), result));
  return random_part(at::full_like(result, part), random);
}

// Handles Σ x, or a mean. Whole numbers are added up without a rounding. With n terms of random
// signs the k-th partial sum is √k times a term: together n / √2 times their root mean square.
at::Tensor in_sum(const Given& given, const at::Tensor& result, const at::Generator& random) {
  const at::Tensor terms = given[0].toTensor();
  if (is_whole(terms)) return {};
  const bool has_axes = given.size() > 2 && given[1].isIntList() && !given[1].toIntVector().empty();
  const at::Tensor all_squares = terms.square();
  const at::Tensor squares =
      has_axes ? all_squares.mean(given[1].toIntVector(), given[2].toBool()) : all_squares.mean();
  const double count = terms_of(terms, squares), part = part_of_sum(count);
  return random_part((squares * (count * count / 2) + (result * part).square()).sqrt(), random);
}

at::Tensor in_mean(const Given& given, const at::Tensor& result, const at::Generator& random) {
  const double count = terms_of(given[0].toTensor(), result);
  const at::Tensor sum = in_sum(given, result * count, random);
  return sum.defined() ? sum / count : sum;
}

// Interpolation reads element i of an axis at i times a ratio, both of which have been rounded. The
// place moves to the next element by as much as one step of i.
template <std::int64_t spatial_axes>
at::Tensor at_places(const Given&, const at::Tensor& result, const at::Generator& random) {
  at::Tensor out = at::zeros_like(result);
  for (std::int64_t axis = result.dim() - spatial_axes; axis < result.dim(); ++axis) {
    const std::int64_t size = result.size(axis);
    if (size < 2) continue;
    const at::Tensor steps = at::diff(result, 1, axis);
    const at::Tensor places = at::arange(1, size + 1, result.options());
    std::vector<std::int64_t> along(static_cast<std::size_t>(result.dim()), 1);
    along[static_cast<std::size_t>(axis)] = size;
    const at::Tensor all = at::cat({steps, steps.narrow(axis, size - 2, 1)}, axis);
    out.add_(all * random_part(places * 2, random).view(along));
  }
  return out;
}

struct Inner {
  std::string_view name;
  at::Tensor (*rounding)(const Given&, const at::Tensor& result, const at::Generator&);
};
constexpr Inner inners[] = {{"gelu", &in_gelu},
                            {"softmax", &in_softmax},
                            {"_softmax", &in_softmax},
                            {"log_softmax", &in_log_softmax},
                            {"_log_softmax", &in_log_softmax},
                            {"logsumexp", &in_logsumexp},
                            {"cross_entropy_loss", &in_cross_entropy},
                            {"sum", &in_sum},
                            {"mean", &in_mean},
                            {"upsample_linear1d", &at_places<1>},
                            {"upsample_bilinear2d", &at_places<2>},
                            {"_upsample_bilinear2d_aa", &at_places<2>},
                            {"upsample_bicubic2d", &at_places<2>},
                            {"_upsample_bicubic2d_aa", &at_places<2>},
                            {"upsample_trilinear3d", &at_places<3>}};

}  // namespace

bool is_whole(const at::Tensor& numbers) {
  constexpr double largest = 0x1p24;
  return at::equal(numbers, numbers.round()) && numbers.abs().le(largest).all().item<bool>();
}

at::Tensor inner_rounding(std::string_view name, const Given& given, const at::Tensor& result,
                          const at::Generator& random) {
  if (!given[0].isTensor() || !given[0].toTensor().is_floating_point()) return {};
  for (const Inner& inner : inners)
    if (inner.name == name) return inner.rounding(given, result, random);
  return {};
}

at::Tensor rounding_of_decay(std::string_view name, const Given& given, const at::Tensor& decays,
                             double steps, const at::Generator& random) {
  const at::Tensor x = given[0].toTensor();
  at::Tensor size = name == "exp" ? x.abs() : at::softplus(-x);
  const auto axes = x.sizes();
  const auto longest = std::max_element(axes.begin(), axes.end()) - axes.begin();
  if (x.dim() > 0 && static_cast<double>(axes[longest]) >= steps) size = size.mean(longest, true);
  return random_part(decays * size * steps, random);
}

namespace {

// Operators that compare numbers, or have no other number than one that is given, and calculate
// nothing.
constexpr std::string_view exact_operators[] = {"eq",
                                                "ne",
                                                "lt",
                                                "le",
                                                "gt",
                                                "ge",
                                                "less",
                                                "less_equal",
                                                "greater",
                                                "equal",
                                                "not_equal",
                                                "greater_equal",
                                                "isnan",
                                                "isinf",
                                                "isfinite",
                                                "signbit",
                                                "logical_not",
                                                "logical_and",
                                                "logical_or",
                                                "logical_xor",
                                                "nonzero",
                                                "any",
                                                "all",
                                                "count_nonzero",
                                                "searchsorted",
                                                "bucketize",
                                                "amax",
                                                "amin",
                                                "aminmax",
                                                "cummax",
                                                "cummin",
                                                "unique",
                                                "_unique2",
                                                "unique_dim",
                                                "is_nonzero",
                                                "median",
                                                "heaviside",
                                                "nonzero_numpy",
                                                "unique_consecutive",
                                                "ones_like",
                                                "zeros_like",
                                                "full_like",
                                                "new_ones",
                                                "new_zeros",
                                                "new_full",
                                                "full",
                                                "ones",
                                                "zeros"};

// Operators that give whole numbers for whole numbers.
constexpr std::string_view whole_arithmetic[] = {"add", "sub",    "rsub",     "mul",
                                                 "sum", "cumsum", "subtract", "multiply"};

// Scalars beside a tensor have its dtype in PyTorch, and a program may have them in float32: they
// are one number where bfloat16 has it.
bool is_narrow(double number) {
  int exponent = 0;
  const double significand = std::ldexp(std::frexp(number, &exponent), 8);
  return !std::isfinite(number) || significand == std::trunc(significand);
}

bool is_wide_scalar(const IValue& value) {
  if (value.isDouble()) return !is_narrow(value.toDouble());
  if (value.isInt()) return !is_narrow(static_cast<double>(value.toInt()));
  return is_double(value) && value.toTensor().dim() == 0 &&
         !is_narrow(value.toTensor().item<double>());
}

// Conversions to float8 and to another tensor's dtype round natively, and the double run does not.
// The name of any other dtype means float64 in the double run, so a conversion by name before a
// comparison counts as certain: programs are held to the native answer.
bool may_narrow(std::string_view name, const std::vector<IValue>& given) {
  if (name == "type_as") return true;
  if (name != "to" && name != "_to_copy") return false;
  return std::any_of(given.begin() + 1, given.end(), [](const IValue& value) {
    if (value.isTensor()) return true;  // dtype of another tensor
    if (!value.isInt()) return false;
    const auto dtype = static_cast<at::ScalarType>(value.toInt());
    return c10::isFloat8Type(dtype);
  });
}

bool all_whole(const std::vector<IValue>& values) {
  return std::all_of(values.begin(), values.end(), [](const IValue& value) {
    if (value.isTensorList()) return false;
    return !is_double(value) || is_whole(value.toTensor());
  });
}

bool calculates_with_whole(std::string_view name, const std::vector<IValue>& given,
                           const IValue& result) {
  return (is_one_of(name, whole_arithmetic) || is_product(name)) && all_whole(given) &&
         all_whole({result});
}

}  // namespace

bool stays_certain(const c10::OperatorHandle& op, const std::vector<IValue>& given,
                   const IValue& result, bool only_moves) {
  const std::string_view name = bare_name(op);
  if (find_operator(choosers, name) != nullptr && is_index(result)) return false;
  const bool takes_floats =
      is_double(result) || std::any_of(given.begin(), given.end(), [](const IValue& value) {
        return is_double(value) || value.isTensorList();
      });
  if (!takes_floats) return true;
  if (may_narrow(name, given)) return false;
  if (only_moves || is_one_of(name, exact_operators))
    return std::none_of(given.begin(), given.end(), is_wide_scalar);
  return calculates_with_whole(name, given, result);
}

}  // namespace kbench
