#include "reference/torch/exact/choice_recorder.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/words.hpp"
#include "reference/torch/exact/operator_names.hpp"

namespace kbench {
namespace {

using c10::IValue;
using c10::OperatorHandle;
using torch::jit::Stack;

constexpr std::int64_t most_kept = std::int64_t{1} << 25;  // limit for the scores of a run, 256 MiB

// Returns the argument of that name; None where the operator has none.
IValue argument(const OperatorHandle& op, const Stack& stack, std::string_view name) {
  const auto& arguments = op.schema().arguments();
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].name() == name) return stack[stack.size() - arguments.size() + i];
  return {};
}

bool flag(const IValue& value, bool otherwise) {
  return value.isBool() ? value.toBool() : otherwise;
}

// Returns nullptr if it chooses nothing, as max() of all elements and of two tensors does not.
const Chooser* chooser_of(const OperatorHandle& op) {
  const Chooser* found = find_operator(choosers, op.schema().name());
  if (found == nullptr || !found->is_traced) return nullptr;
  return found->gives_values && op.schema().returns().size() != 2 ? nullptr : found;
}

ChoiceKind kind_of(const Chooser& chooser, const OperatorHandle& op, const Stack& stack) {
  if (chooser.name == "multinomial") return ChoiceKind::drawn;
  const bool is_greatest = flag(argument(op, stack, "largest"),
                                flag(argument(op, stack, "descending"), chooser.is_greatest));
  return is_greatest ? ChoiceKind::greatest : ChoiceKind::least;
}

PickOrder order_of(const Chooser& chooser, const OperatorHandle& op, const Stack& stack) {
  if (chooser.is_sort)
    return flag(argument(op, stack, "stable"), false) ? PickOrder::stable : PickOrder::sorted;
  const bool is_ordered = flag(argument(op, stack, "sorted"), chooser.is_ordered);
  return is_ordered ? PickOrder::best_first : PickOrder::none;
}

bool converts_to_integers(const OperatorHandle& op, const Stack& stack) {
  if (op.schema().name() != "aten::to") return false;
  const IValue dtype = argument(op, stack, "dtype");
  return dtype.isInt() && c10::isIntegralType(static_cast<at::ScalarType>(dtype.toInt()), false);
}

Rounding rounding_of(const OperatorHandle& op, const Stack& stack) {
  if (const Rounder* rounder = find_operator(rounders, op.schema().name()))
    return rounder->rounding;
  return converts_to_integers(op, stack) ? Rounding::toward_zero : Rounding::none;
}

at::Tensor rows_along(const at::Tensor& tensor, std::int64_t axis, bool is_whole) {
  if (is_whole || tensor.dim() == 0) return tensor.reshape({1, -1});
  const at::Tensor moved = tensor.movedim(axis, -1);
  return moved.reshape({-1, moved.size(-1)});
}

}  // namespace

at::Tensor ChoiceEvent::as_given(const at::Tensor& rows) const {
  if (axis < 0) return rows.reshape(sizes);
  std::vector<std::int64_t> moved = sizes;
  moved.erase(moved.begin() + axis);
  moved.push_back(sizes[static_cast<std::size_t>(axis)]);
  return rows.reshape(moved).movedim(-1, axis).contiguous();
}

void ChoiceRecorder::begin() {
  events_.clear();
  pending_.reset();
  kept_ = 0;
  overflowed_ = false;
}

std::optional<ChoiceRecorder::Pending> ChoiceRecorder::look(const OperatorHandle& op,
                                                            const Stack& stack) {
  const auto& schema = op.schema();
  if (schema.arguments().empty()) return std::nullopt;
  const IValue& first = stack[stack.size() - schema.arguments().size()];
  if (!first.isTensor() || !first.toTensor().defined()) return std::nullopt;
  Pending pending;
  pending.self = first.toTensor();
  pending.event.name = schema.name();
  if (pending.self.scalar_type() == at::kDouble) {
    pending.event.rounding = rounding_of(op, stack);
    if (pending.event.rounding != Rounding::none) {
      pending.self = pending.self.clone();  // some operators round in place
      return pending;
    }
  }
  const Chooser* chooser = chooser_of(op);
  if (chooser == nullptr) return std::nullopt;
  pending.gives_values = chooser->gives_values;
  pending.event.kind = kind_of(*chooser, op, stack);
  pending.event.order = order_of(*chooser, op, stack);
  // A stable sort of equal integers leaves no choice.
  if (pending.event.order == PickOrder::stable && !c10::isFloatingType(pending.self.scalar_type()))
    return std::nullopt;
  const IValue axis = argument(op, stack, "dim");
  pending.is_whole = axis.isNone() && pending.event.kind != ChoiceKind::drawn;
  if (axis.isInt()) pending.axis = axis.toInt();
  if (pending.axis < 0) pending.axis += pending.self.dim();
  return pending;
}

void ChoiceRecorder::before(const OperatorHandle& op, const Stack& stack) {
  pending_ = look(op, stack);
}

void ChoiceRecorder::after(Stack& stack) {
  if (!pending_) return;
  const Pending pending = std::move(*pending_);
  pending_.reset();
  ChoiceEvent event = pending.event;
  if (event.rounding != Rounding::none) {
    event.scores = pending.self.reshape({1, -1});
  } else {
    read_picks(event, pending, stack.back().toTensor());
    if (const auto found = forced_.find(events_.size()); found != forced_.end())
      replace(event, pending, found->second, stack);
  }
  kept_ += is_kept() ? event.scores.numel() : 0;
  overflowed_ = overflowed_ || kept_ > most_kept;
  if (!is_kept() || overflowed_) event.scores.reset();
  events_.push_back(std::move(event));
}

// Copies what the operator read and gave: both may be written to afterwards.
void ChoiceRecorder::read_picks(ChoiceEvent& event, const Pending& pending,
                                const at::Tensor& given) {
  const at::Tensor scores =
      rows_along(pending.self.to(at::kDouble), pending.axis, pending.is_whole);
  event.scores = scores.is_alias_of(pending.self) ? scores.clone() : scores;
  event.sizes = given.sizes().vec();
  const bool keeps_axis = !pending.is_whole && given.dim() == pending.self.dim() && given.dim() > 0;
  event.axis = keeps_axis ? pending.axis : -1;
  const at::Tensor rows = keeps_axis ? rows_along(given, pending.axis, false)
                                     : given.reshape({event.scores.size(0), -1});
  event.picked = rows.clone();
}

void ChoiceRecorder::replace(const ChoiceEvent& event, const Pending& pending,
                             const at::Tensor& picked, Stack& stack) const {
  if (picked.sizes() != event.picked.sizes()) return;
  stack.back() = event.as_given(picked);
  if (!pending.gives_values) return;
  at::Tensor values = event.as_given(event.scores.gather(1, picked));
  stack[stack.size() - 2] = values.to(pending.self.scalar_type());
}

namespace {

constexpr std::string_view copies_of_picks[] = {"aten::clone", "aten::_to_copy",
                                                "aten::detach_copy"};

// Tells whether an operator gives the same indices in another form: a view, another integer dtype,
// a copy.
bool only_moves(const OperatorHandle& op) {
  const c10::FunctionSchema& schema = op.schema();
  if (schema.is_mutable() || schema.returns().empty()) return false;
  return schema.returns().front().alias_info() != nullptr ||
         is_one_of(schema.name(), copies_of_picks);
}

}  // namespace

void PickUse::add(const OperatorHandle& op, const std::vector<IValue>& given,
                  c10::ArrayRef<IValue> results) {
  const bool takes_picks = std::any_of(given.begin(), given.end(),
                                       [this](const IValue& value) { return has_picks(value); });
  const bool moves = takes_picks && only_moves(op);
  any_ = any_ || (takes_picks && !moves);
  const Chooser* chooser = find_operator(choosers, op.schema().name());
  if (chooser == nullptr && !moves) return;
  const std::size_t place = chooser != nullptr && chooser->gives_values ? 1 : 0;
  if (place < results.size() && is_index(results[place]))
    picks_.push_back(results[place].toTensor());
}

bool PickUse::is_pick(const at::Tensor& tensor) const {
  return tensor.defined() && tensor.has_storage() &&
         std::any_of(picks_.begin(), picks_.end(),
                     [&](const at::Tensor& pick) { return pick.is_alias_of(tensor); });
}

bool PickUse::has_picks(const IValue& value) const {
  if (value.isTensor()) return is_pick(value.toTensor());
  if (!value.isList()) return false;
  for (const IValue& one : value.toListRef())
    if (one.isTensor() && is_pick(one.toTensor())) return true;
  return false;
}

}  // namespace kbench
