#include "torch/inner_rounding.hpp"

#include <ATen/ATen.h>

namespace kbench {
namespace {

using c10::IValue;
using Given = std::vector<IValue>;

at::Tensor random_part(const at::Tensor& size, const at::Generator& random) {
  return at::empty_like(size).uniform_(-1, 1, random).mul_(size);
}

// x·½·(1 + erf(x/√2)), or by tanh: the function has been rounded when 1 is added to it.
at::Tensor in_gelu(const Given& given, const at::Generator& random) {
  return random_part(given[0].toTensor().abs() / 2, random);
}

at::Tensor of_normalisers(const at::Tensor& x, std::int64_t dim, const at::Generator& random) {
  return random_part(at::logsumexp(x, dim, true).abs(), random);
}

// x - log Σ e^x: a row shares its normaliser.
at::Tensor in_log_softmax(const Given& given, const at::Generator& random) {
  const at::Tensor x = given[0].toTensor();
  return x.dim() == 0 ? at::Tensor() : of_normalisers(x, given[1].toInt(), random);
}

// log Σ e^x - x[target], of each row, or their mean or sum.
at::Tensor in_cross_entropy(const Given& given, const at::Generator& random) {
  constexpr std::int64_t mean = 1, sum = 2;
  const at::Tensor x = given[0].toTensor();
  const at::Tensor rows =
      of_normalisers(x, x.dim() == 1 ? 0 : 1, random).squeeze(x.dim() == 1 ? 0 : 1);
  const std::int64_t reduction = given[3].toInt();
  return reduction == mean ? rows.mean() : reduction == sum ? rows.sum() : rows;
}

struct Inner {
  std::string_view name;
  at::Tensor (*rounding)(const Given&, const at::Generator&);
};
constexpr Inner inners[] = {{"gelu", &in_gelu},
                            {"log_softmax", &in_log_softmax},
                            {"_log_softmax", &in_log_softmax},
                            {"cross_entropy_loss", &in_cross_entropy}};

}  // namespace

at::Tensor inner_rounding(std::string_view name, const Given& given, const at::Generator& random) {
  for (const Inner& inner : inners)
    if (inner.name == name && given[0].toTensor().is_floating_point())
      return inner.rounding(given, random);
  return {};
}

}  // namespace kbench
