#include "reference/torch/exact/operator_names.hpp"

#include "base/words.hpp"

namespace kbench {
namespace {

constexpr std::string_view product_names[] = {"matmul",
                                              "linear",
                                              "mm",
                                              "bmm",
                                              "mv",
                                              "dot",
                                              "vdot",
                                              "inner",
                                              "addmm",
                                              "addmv",
                                              "addbmm",
                                              "baddbmm",
                                              "einsum",
                                              "tensordot",
                                              "bilinear",
                                              "chain_matmul",
                                              "linalg_multi_dot",
                                              "addr",
                                              "outer",
                                              "ger"};

constexpr std::string_view sums[] = {"sum",
                                     "nansum",
                                     "mean",
                                     "nanmean",
                                     "prod",
                                     "var",
                                     "std",
                                     "var_mean",
                                     "std_mean",
                                     "norm",
                                     "linalg_norm",
                                     "linalg_vector_norm",
                                     "frobenius_norm",
                                     "logsumexp",
                                     "softmax",
                                     "_softmax",
                                     "log_softmax",
                                     "_log_softmax",
                                     "cumsum",
                                     "cumprod",
                                     "logcumsumexp",
                                     "layer_norm",
                                     "native_layer_norm",
                                     "rms_norm",
                                     "_fused_rms_norm",
                                     "group_norm",
                                     "native_group_norm",
                                     "batch_norm",
                                     "native_batch_norm",
                                     "instance_norm",
                                     "cosine_similarity",
                                     "cross_entropy_loss",
                                     "kl_div",
                                     "mse_loss",
                                     "nll_loss",
                                     "trapezoid",
                                     "avg_pool1d",
                                     "avg_pool2d",
                                     "adaptive_avg_pool2d",
                                     "embedding_bag",
                                     "renorm"};

constexpr std::string_view additions[] = {"sum",       "nansum",      "cumsum",
                                          "index_add", "scatter_add", "embedding_bag"};

constexpr std::string_view gatherings[] = {"index_add",    "scatter_add",    "scatter_reduce",
                                           "index_reduce", "segment_reduce", "index_put"};

constexpr std::string_view exact[] = {
    "abs",        "neg",   "relu",        "clamp", "clamp_min", "clamp_max", "maximum",
    "minimum",    "where", "sign",        "floor", "ceil",      "round",     "trunc",
    "copy",       "fill",  "masked_fill", "to",    "_to_copy",  "clone",     "zero",
    "nan_to_num", "max",   "min",         "fmax",  "fmin"};

}  // namespace

std::string_view bare_name(const c10::OperatorHandle& op) {
  std::string_view name = op.schema().name();
  if (name.starts_with("aten::")) name.remove_prefix(6);
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

bool is_product(std::string_view name) {
  return is_one_of(name, product_names) || name.starts_with("conv") ||
         name.find("scaled_dot_product") != std::string_view::npos;
}

bool is_sum(std::string_view name) { return is_one_of(name, sums); }
bool adds_up(std::string_view name) { return is_one_of(name, additions); }
bool is_gathering(std::string_view name) { return is_one_of(name, gatherings); }
bool never_rounds(std::string_view name) { return is_one_of(name, exact); }

}  // namespace kbench
