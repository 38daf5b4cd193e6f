#include "reference/torch/exact/value_flow.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <span>

#include "base/words.hpp"
#include "reference/torch/exact/inner_rounding.hpp"
#include "reference/torch/exact/operator_names.hpp"

namespace kbench {
namespace {

using c10::IValue;
using c10::OperatorHandle;
using torch::jit::Stack;

// Operators that only move the numbers they are given.
constexpr std::string_view movers[] = {"to",
                                       "_to_copy",
                                       "type_as",
                                       "clone",
                                       "contiguous",
                                       "reshape",
                                       "flatten",
                                       "cat",
                                       "concat",
                                       "concatenate",
                                       "stack",
                                       "hstack",
                                       "vstack",
                                       "index",
                                       "index_select",
                                       "index_copy",
                                       "index_fill",
                                       "masked_scatter",
                                       "gather",
                                       "take",
                                       "take_along_dim",
                                       "embedding",
                                       "repeat",
                                       "repeat_interleave",
                                       "tile",
                                       "roll",
                                       "flip",
                                       "pad",
                                       "constant_pad_nd",
                                       "masked_select",
                                       "tril",
                                       "triu",
                                       "sort",
                                       "topk",
                                       "scatter",
                                       "slice_scatter",
                                       "select_scatter"};

bool only_moves(const OperatorHandle& op, std::string_view name, const std::vector<IValue>& given) {
  const auto& returns = op.schema().returns();
  if (name == "index_put") return !given[3].toBool();  // its flag to add
  const bool is_view =
      !op.schema().is_mutable() && !returns.empty() && returns.front().alias_info() != nullptr;
  return is_view || is_one_of(name, movers) || never_rounds(name);
}

bool is_attention(std::string_view name) {
  return name.find("scaled_dot_product") != std::string_view::npos;
}

void join_history(ValueHistory& to, const ValueHistory& from) {
  to.is_computed |= from.is_computed;
  to.after_product |= from.after_product;
  to.after_codes |= from.after_codes;
  to.more_than_sums |= from.more_than_sums;
  to.is_uncertain |= from.is_uncertain;
}

std::span<IValue> arguments_of(const OperatorHandle& op, Stack& stack) {
  const std::size_t count = op.schema().arguments().size();
  return std::span(stack).subspan(stack.size() - count);
}

}  // namespace

void ValueFlow::round(const FlowRounding& sizes, std::uint64_t run) {
  sizes_ = sizes;
  random_ = at::make_generator<at::CPUGeneratorImpl>(run);
}

at::Tensor ValueFlow::moved(const at::Tensor& tensor, double size) {
  return at::empty_like(tensor).uniform_(1 - size, 1 + size, random_).mul_(tensor);
}

void ValueFlow::before(const OperatorHandle& op, Stack& stack) {
  if (sizes_.operands == 0 || !is_product(bare_name(op))) return;
  const std::string_view name = bare_name(op);
  const bool has_addend = name.starts_with("add") || name.starts_with("baddbmm");
  const auto rounded = [&](const at::Tensor& tensor) {
    return of(tensor).is_computed ? moved(tensor, sizes_.operands) : tensor;
  };
  for (IValue& value : arguments_of(op, stack).subspan(has_addend ? 1 : 0)) {
    if (is_double(value)) value = rounded(value.toTensor());
    if (!value.isTensorList()) continue;
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector())
      list.push_back(is_double(tensor) ? rounded(tensor) : tensor);
    value = list;
  }
}

namespace {

// Tells whether there is a double tensor, or a list that may hold some.
bool has_doubles(const std::vector<IValue>& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const IValue& value) { return is_double(value) || value.isTensorList(); });
}

// Products that take a bias, too, and may be stored in 16 bits before that is added.
constexpr std::string_view biased_products[] = {"linear", "baddbmm", "bilinear"};

// Sums and products of matrices are kept in float32 whatever goes in. The terms of a sum are not:
// weighted rows are stored in 16 bits before they are added up (vLLM).
bool only_sums(std::string_view name, const ValueHistory& history) {
  const bool has_bias =
      name.starts_with("conv") || name.starts_with("add") || is_one_of(name, biased_products);
  const bool only_multiplies = is_product(name) && !has_bias && !is_attention(name);
  return adds_up(name) || (only_multiplies && !history.is_computed);
}

}  // namespace

// Sums into places are left alone: how long they are is known, and how few of a large tensor's
// places were added to is not. Whole numbers come of whole numbers, without a rounding.
void ValueFlow::round_result(const OperatorHandle& op, const std::vector<IValue>& given,
                             IValue& value) {
  const std::string_view name = bare_name(op);
  const at::Tensor result = value.toTensor();
  if (is_gathering(name) || is_whole(result)) return;
  const at::Tensor rounded = moved(result, sizes_.values);
  if (op.schema().is_mutable()) {  // the argument that it wrote to
    result.copy_(rounded);
    return;
  }
  value = rounded;
  const bool decays = sizes_.decay_steps > 0 && (name == "exp" || name == "sigmoid");
  const at::Tensor inner = decays
                               ? rounding_of_decay(name, given, result, sizes_.decay_steps, random_)
                               : inner_rounding(name, given, result, random_);
  if (inner.defined()) rounded.add_(inner, sizes_.values);
}

ValueHistory ValueFlow::history_after(std::string_view name, const std::vector<IValue>& given,
                                      bool rounds, bool makes_codes) const {
  ValueHistory history;
  for (const IValue& value : given) join_history(history, of(value));
  history.more_than_sums |= rounds && !only_sums(name, history);
  if (is_product(name)) history.after_product |= history.is_computed || is_attention(name);
  history.is_computed |= rounds;
  history.after_codes |= makes_codes;
  return history;
}

void ValueFlow::after(const OperatorHandle& op, const std::vector<IValue>& given, Stack& stack,
                      bool makes_codes) {
  const std::string_view name = bare_name(op);
  const bool moves = only_moves(op, name, given);
  const bool rounds = has_doubles(given) && !moves;
  const ValueHistory history = history_after(name, given, rounds, makes_codes);
  const std::size_t results = op.schema().returns().size();
  for (IValue& value : std::span(stack).subspan(stack.size() - results)) {
    // Probabilities go into the second product inside of it.
    const bool is_rounded = is_double(value) && sizes_.operands > 0 && is_attention(name);
    if (is_rounded) value = moved(value.toTensor(), sizes_.operands);
    if (is_double(value) && sizes_.values > 0 && rounds) round_result(op, given, value);
    note_result(value, history, history.is_uncertain || !stays_certain(op, given, value, moves));
  }
}

// Uncertain numbers read out of a tensor make all uncertain: nobody sees what follows from them.
void ValueFlow::note_result(const IValue& value, ValueHistory history, bool is_uncertain) {
  history.is_uncertain = is_uncertain;
  if (!value.isTensor() && !value.isTensorList()) all_uncertain_ |= is_uncertain;
  note(value, history);
}

void ValueFlow::note(const IValue& value, const ValueHistory& history) {
  if (is_tensor(value)) note(value.toTensor(), history);
  if (!value.isTensorList()) return;
  for (const at::Tensor& tensor : value.toTensorVector()) note(tensor, history);
}

void ValueFlow::note(const at::Tensor& tensor, const ValueHistory& history) {
  if (!tensor.defined() || !tensor.has_storage()) return;
  const auto entry =
      known_.try_emplace(tensor.storage().unsafeGetStorageImpl(),
                         Entry{tensor.storage().getWeakStorageImpl(), ValueHistory{}});
  join_history(entry.first->second.history, history);
}

ValueHistory ValueFlow::of(const at::Tensor& tensor) const {
  if (!tensor.defined() || !tensor.has_storage()) return {.is_uncertain = all_uncertain_};
  const auto found = known_.find(tensor.storage().unsafeGetStorageImpl());
  ValueHistory out = found == known_.end() ? ValueHistory{} : found->second.history;
  out.is_uncertain |= all_uncertain_;
  return out;
}

ValueHistory ValueFlow::of(const IValue& value) const {
  if (value.isTensor()) return of(value.toTensor());
  ValueHistory all;
  if (!value.isList()) return all;
  for (const IValue& one : value.toListRef())
    if (one.isTensor()) join_history(all, of(one.toTensor()));
  return all;
}

}  // namespace kbench
