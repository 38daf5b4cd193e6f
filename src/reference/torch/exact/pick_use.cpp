#include "reference/torch/exact/pick_use.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <string_view>

#include "base/words.hpp"
#include "problem/origin.hpp"
#include "reference/torch/exact/tensor_kinds.hpp"

namespace kbench {
namespace {

using c10::IValue;
using c10::OperatorHandle;

constexpr std::string_view copies_of_picks[] = {"aten::clone", "aten::_to_copy",
                                                "aten::detach_copy"};

// Whether an operator gives the same indices in another form: a view, another integer dtype, a
// copy.
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
