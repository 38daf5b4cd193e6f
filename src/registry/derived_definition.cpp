#include "registry/derived_definition.hpp"

#include <algorithm>

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

std::string name_with(const std::string& name, DType dtype) {
  return name + "_" + std::string(info(dtype).name);
}

}  // namespace

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
    if (type == nullptr || !type->dtype) return std::nullopt;
    if (changed.name == definition.name) changed.name = name_with(definition.name, *type->dtype);
    set_dtype(changed, binding.values[i], *type->dtype);
  }
  return changed;
}

Definition with_main_dtype(const Definition& definition, DType dtype) {
  Definition changed = definition;
  std::optional<DType> main;
  for (const auto& [name, spec] : definition.inputs) {
    if (spec.shape && !main) main = spec.dtype;
  }
  if (!main || *main == dtype) return changed;
  changed.name = name_with(definition.name, dtype);
  for (auto* map : {&changed.inputs, &changed.outputs}) {
    for (auto& [name, spec] : *map) {
      if (spec.shape && spec.dtype == *main) spec.dtype = dtype;
    }
  }
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
