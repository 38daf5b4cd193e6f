#include "reference/torch/script/prelude.hpp"

#include <utility>

namespace kbench {
namespace {

// F.normalize, F.embedding and so on: what the documentation of torch.nn.functional says they do.
constexpr std::string_view text = R"(import torch

def functional_embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0,
                         scale_grad_by_freq=False, sparse=False):
    assert max_norm is None, "embedding(max_norm=...) is not supported"
    return torch.embedding(weight, input)

def functional_normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / torch.norm(input, p, [dim], True).clamp_min(eps).expand_as(input)

def keep(input, result, inplace):
    if inplace:
        return input.copy_(result)
    return result

def functional_dropout(input, p=0.5, training=True, inplace=False):
    return keep(input, torch.dropout(input, p, training), inplace)

def functional_mse_loss(input, target, reduction="mean"):
    d = (input - target) * (input - target)
    if reduction == "none":
        return d
    if reduction == "sum":
        return d.sum()
    assert reduction == "mean", "not a valid value for reduction"
    return d.mean()

def functional_cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100,
                             reduce=None, reduction="mean", label_smoothing=0.0):
    assert size_average is None and reduce is None, "size_average and reduce are not supported"
    kind = 1
    if reduction == "none":
        kind = 0
    elif reduction == "sum":
        kind = 2
    else:
        assert reduction == "mean", "not a valid value for reduction"
    return torch.cross_entropy_loss(input, target, weight, kind, ignore_index, label_smoothing)

def functional_silu(input, inplace=False):
    return keep(input, torch.silu(input), inplace)

def functional_relu(input, inplace=False):
    return keep(input, torch.relu(input), inplace)

def functional_elu(input, alpha=1.0, inplace=False):
    return keep(input, torch.elu(input, alpha), inplace)

def softmax_dim(input, dim):
    if dim is not None:
        return dim
    if input.dim() == 0 or input.dim() == 1 or input.dim() == 3:
        return 0
    return 1

def functional_softmax(input, dim=None, _stacklevel=3, dtype=None):
    return torch.softmax(input, softmax_dim(input, dim), dtype)

def functional_softmin(input, dim=None, _stacklevel=3, dtype=None):
    return torch.softmax(-input, softmax_dim(input, dim), dtype)

def functional_log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    return torch.log_softmax(input, softmax_dim(input, dim), dtype)

def functional_tanhshrink(input):
    return input - torch.tanh(input)

def math_log(x, base=None):
    if base is None:
        return torch.log(float(x))
    else:
        return torch.log(float(x)) / torch.log(float(base))

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
    {"torch.nn.functional.elu", "functional_elu"},
    {"torch.nn.functional.softmin", "functional_softmin"},
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
