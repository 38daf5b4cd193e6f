#include "torch/prelude.hpp"

#include <utility>

namespace kbench {
namespace {

// F.normalize, F.embedding and so on: what the documentation of torch.nn.functional says they do.
constexpr std::string_view text = R"(import torch

def functional_embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0,
                         scale_grad_by_freq=False, sparse=False):
    return torch.embedding(weight, input)

def functional_normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    return input / torch.norm(input, p, [dim], True).clamp_min(eps).expand_as(input)

def functional_dropout(input, p=0.5, training=True, inplace=False):
    return torch.dropout(input, p, training)

def functional_mse_loss(input, target, reduction="mean"):
    d = (input - target) * (input - target)
    if reduction == "none":
        return d
    if reduction == "sum":
        return d.sum()
    return d.mean()

def functional_cross_entropy(input, target, weight=None, ignore_index=-100, label_smoothing=0.0):
    return torch.cross_entropy_loss(input, target, weight, 1, ignore_index, label_smoothing)

def functional_silu(input, inplace=False):
    return torch.silu(input)

def functional_relu(input, inplace=False):
    return torch.relu(input)

def functional_softmax(input, dim=None, _stacklevel=3, dtype=None):
    return torch.softmax(input, -1 if dim is None else dim, dtype)

def functional_log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    return torch.log_softmax(input, -1 if dim is None else dim, dtype)

def functional_tanhshrink(input):
    return input - torch.tanh(input)

def math_log(x, base=None):
    if base is None:
        return torch.log(float(x))
    else:
        return torch.log(float(x)) / torch.log(float(base))

def math_log2(x):
    return torch.log(float(x)) / 0.6931471805599453

def math_prod(values, start=1):
    result = start
    for value in values:
        result = result * value
    return result

def torch_size(values):
    return values
)";

constexpr std::pair<std::string_view, std::string_view> names[] = {
    {"torch.nn.functional.embedding", "functional_embedding"},
    {"torch.nn.functional.normalize", "functional_normalize"},
    {"torch.nn.functional.dropout", "functional_dropout"},
    {"torch.nn.functional.mse_loss", "functional_mse_loss"},
    {"torch.nn.functional.cross_entropy", "functional_cross_entropy"},
    {"torch.nn.functional.silu", "functional_silu"},
    {"torch.nn.functional.relu", "functional_relu"},
    {"torch.nn.functional.softmax", "functional_softmax"},
    {"torch.nn.functional.log_softmax", "functional_log_softmax"},
    {"torch.nn.functional.tanhshrink", "functional_tanhshrink"},
    {"math.log", "math_log"},
    {"math.prod", "math_prod"},
    {"torch.Size", "torch_size"},
};

}  // namespace

std::string_view prelude_text() { return text; }

std::string_view prelude_name(std::string_view path) {
  for (const auto& [known, name] : names) {
    if (known == path) return name;
  }
  return "";
}

}  // namespace kbench
