#include "registry/derived_definition.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "registry/scalar_type.hpp"

namespace kbench {
namespace {

using Bound = BoundValue::Kind;

void set_dtype(Definition& definition, const BoundValue& value, DType dtype) {
  for (const BoundValue& item : value.items) set_dtype(definition, item, dtype);
  if (value.kind == Bound::input) definition.inputs.items[value.index].second.dtype = dtype;
  if (value.kind == Bound::output) definition.outputs.items[value.index].second.dtype = dtype;
}

bool same_rank(const TensorMeta& wanted, const TensorMeta& has) {
  if (wanted.is_none || has.is_none) return wanted.is_none == has.is_none;
  return !wanted.dim_order || wanted.dim_order->size() == has.dim_order->size();
}

bool may_be_special(const std::pair<std::string, TensorSpec>& tensor) {
  const TensorSpec& spec = tensor.second;
  return spec.shape && info(spec.dtype).kind == DTypeKind::floating && info(spec.dtype).bits >= 16;
}

// Returns the dtypes of the tensors, inputs first.
std::vector<DType> dtypes_of(const Definition& definition) {
  std::vector<DType> all;
  for (const auto* map : {&definition.inputs, &definition.outputs}) {
    for (const auto& [name, spec] : *map) {
      if (spec.shape) all.push_back(spec.dtype);
    }
  }
  return all;
}

// With `to` wherever the first tensor's dtype is.
std::vector<DType> with_main(const std::vector<DType>& dtypes, DType to) {
  std::vector<DType> changed;
  for (const DType one : dtypes) changed.push_back(one == dtypes.front() ? to : one);
  return changed;
}

}  // namespace

std::string name_by_dtypes(const Definition& definition, const Definition& changed) {
  const std::vector<DType> before = dtypes_of(definition);
  const std::vector<DType> after = dtypes_of(changed);
  if (before == after) return definition.name;
  const auto with = [](const std::string& name, DType dtype) {
    return name + "_" + std::string(info(dtype).name);
  };
  if (with_main(before, after.front()) == after) return with(definition.name, after.front());
  return std::accumulate(after.begin(), after.end(), definition.name, with);
}

std::optional<Definition> with_key(const Definition& definition, const OperatorBinding& binding,
                                   const KernelKey& key) {
  const auto own = key_of(binding, definition);
  if (!own || own->size() != key.size()) return std::nullopt;
  Definition changed = definition;
  std::size_t next = 0;
  const auto arguments = ops::arguments_of(binding.schema);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i]->type.base != ops::BaseType::tensor) continue;
    const TensorMeta& has = (*own)[next];
    const TensorMeta& wanted = key[next++];
    if (!same_rank(wanted, has)) return std::nullopt;
    if (!wanted.scalar_type || wanted.scalar_type == has.scalar_type) continue;
    const ScalarTypeInfo* const type = find_scalar_type(*wanted.scalar_type);
    if (type == nullptr || !type->dtype()) return std::nullopt;
    set_dtype(changed, binding.values[i], *type->dtype());
  }
  changed.name = name_by_dtypes(definition, changed);
  return changed;
}

Definition with_main_dtype(const Definition& definition, DType dtype) {
  Definition changed = definition;
  const std::vector<DType> dtypes = with_main(dtypes_of(definition), dtype);
  auto next = dtypes.begin();
  for (auto* map : {&changed.inputs, &changed.outputs}) {
    for (auto& [name, spec] : *map) {
      if (spec.shape) spec.dtype = *next++;
    }
  }
  changed.name = name_by_dtypes(definition, changed);
  return changed;
}

std::optional<Definition> with_special_inputs(const Definition& definition) {
  const auto& inputs = definition.inputs.items;
  const auto& outputs = definition.outputs.items;
  if (std::none_of(inputs.begin(), inputs.end(), may_be_special) ||
      !std::all_of(outputs.begin(), outputs.end(), may_be_special))
    return std::nullopt;
  Definition changed = definition;
  changed.name += "_special";
  changed.tags.insert(changed.tags.end(), {"special_inputs", "special_outputs"});
  return changed;
}

}  // namespace kbench
