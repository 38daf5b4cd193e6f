#include "kernels/registry/derived_definition.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "kernels/registry/kernel_key.hpp"

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
    for (const auto& [name, spec] : *map)
      if (spec.shape) all.push_back(spec.dtype);
  }
  return all;
}

// Replaces the first tensor's dtype by `to` wherever it is.
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
    for (auto& [name, spec] : *map)
      if (spec.shape) spec.dtype = *next++;
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

namespace {

using ops::BaseType;

constexpr std::uint64_t every_type = ~std::uint64_t{0};

std::uint64_t bits_of(std::initializer_list<std::string_view> names) {
  std::uint64_t bits = 0;
  for (const std::string_view name : names)
    bits |= std::uint64_t{1} << find_scalar_type(name)->code;
  return bits;
}

bool is_whole(std::string_view text) {
  return text.find_first_of(".en") == text.npos;  // 1e-5, inf, nan
}

// Returns the types under which constraints know a number, or a dtype, that an argument is given.
std::uint64_t types_of_constant(const BoundValue& value) {
  if (value.text == "True" || value.text == "False") return bits_of({"Bool"});
  if (const ScalarTypeInfo* const type = find_scalar_type(value.text))
    return std::uint64_t{1} << type->code;
  return is_whole(value.text) ? bits_of({"Int", "Long"}) : bits_of({"Float", "Double"});
}

std::uint64_t types_of_number(const BoundValue& value, const Definition& definition) {
  switch (value.kind) {
    case Bound::axis:
      return bits_of({"Int", "Long"});
    case Bound::constant:
      return types_of_constant(value);
    case Bound::input: {
      const DType dtype = definition.inputs.items[value.index].second.dtype;
      if (dtype == DType::boolean) return bits_of({"Bool"});
      return info(dtype).kind == DTypeKind::floating ? bits_of({"Float", "Double"})
                                                     : bits_of({"Int", "Long"});
    }
    default:
      return every_type;
  }
}

// Adds the tensors of the Definition that an argument is given.
void add_tensors(const BoundValue& value, const Definition& definition,
                 std::vector<std::size_t>& out) {
  const auto is_tensor = [](const auto& input) { return input.second.shape.has_value(); };
  const auto& inputs = definition.inputs.items;
  for (const BoundValue& item : value.items) add_tensors(item, definition, out);
  if (value.kind == Bound::input && is_tensor(inputs[value.index]))
    out.push_back(static_cast<std::size_t>(std::count_if(
        inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(value.index), is_tensor)));
  if (value.kind == Bound::output)
    out.push_back(static_cast<std::size_t>(std::count_if(inputs.begin(), inputs.end(), is_tensor)) +
                  value.index);
}

const ConstrainedName* find(const std::vector<ConstrainedName>& names, const std::string& name) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const ConstrainedName& one) { return one.name == name; });
  return found == names.end() ? nullptr : &*found;
}

// Returns the name by which constraints know argument `i`: an output is a result.
std::string name_of(const ops::Schema& schema, std::size_t i) {
  const auto arguments = ops::arguments_of(schema);
  const std::size_t inputs = arguments.size() - schema.out.size();
  const bool is_result = i >= inputs && i - inputs < schema.returns.size();
  return is_result ? result_name(schema, i - inputs) : arguments[i]->name;
}

// Returns one alternative, for the numbers of this call; nullopt where it has none of them.
std::optional<AllowedTypes> allowed_by(const std::vector<ConstrainedName>& names,
                                       std::vector<std::uint64_t> types,
                                       const Definition& definition,
                                       const OperatorBinding& binding) {
  const auto arguments = ops::arguments_of(binding.schema);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ConstrainedName* const one = find(names, name_of(binding.schema, i));
    if (one == nullptr || arguments[i]->type.base == BaseType::tensor) continue;
    types[one->alias] &= types_of_number(binding.values[i], definition);
    if (types[one->alias] == 0) return std::nullopt;
  }
  AllowedTypes allowed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ConstrainedName* const one = find(names, name_of(binding.schema, i));
    if (one == nullptr || arguments[i]->type.base != BaseType::tensor) continue;
    std::vector<std::size_t> tensors;
    add_tensors(binding.values[i], definition, tensors);
    for (const std::size_t tensor : tensors)
      allowed.push_back({tensor, one->alias, types[one->alias]});
  }
  return allowed;
}

// Adds the dtypes of each tensor, for every choice of one type for each alias.
class Expansion {
 public:
  Expansion(const AllowedTypes& allowed, std::size_t tensors, std::size_t most,
            std::vector<std::vector<int>>& out)
      : allowed_(allowed), chosen_(tensors, -1), most_(most), out_(out) {
    extend(0);
  }

 private:
  void extend(std::size_t i) {
    if (out_.size() >= most_) return;
    if (i == allowed_.size()) {
      if (std::find(out_.begin(), out_.end(), chosen_) == out_.end()) out_.push_back(chosen_);
      return;
    }
    const AllowedTensor& one = allowed_[i];
    const int before = chosen_[one.tensor];
    for (std::uint64_t rest = one.types; rest != 0; rest &= rest - 1) {
      const int type = std::countr_zero(rest);
      if ((before >= 0 && before != type) || !fits_alias(i, type)) continue;
      chosen_[one.tensor] = type;
      extend(i + 1);
    }
    chosen_[one.tensor] = before;
  }

  bool fits_alias(std::size_t i, int type) const {
    for (std::size_t j = 0; j < i; ++j)
      if (allowed_[j].alias == allowed_[i].alias) return chosen_[allowed_[j].tensor] == type;
    return true;
  }

  const AllowedTypes& allowed_;
  std::vector<int> chosen_;  // type of each tensor; -1: none yet
  std::size_t most_;
  std::vector<std::vector<int>>& out_;
};

std::size_t count_tensors(const Definition& definition) {
  std::size_t count = definition.outputs.size();
  for (const auto& [name, spec] : definition.inputs) count += spec.shape.has_value();
  return count;
}

// Returns the Definition with these types; one below 0 leaves a tensor's dtype as it is.
std::optional<Definition> with_types(const Definition& definition, const std::vector<int>& types) {
  Definition changed = definition;
  std::size_t next = 0;
  for (auto* const map : {&changed.inputs, &changed.outputs}) {
    for (auto& [name, spec] : *map) {
      if (map == &changed.inputs && !spec.shape) continue;
      const int type = types[next++];
      const ScalarTypeInfo* const wanted = type < 0 ? nullptr : find_scalar_type(type);
      if (type >= 0 && (wanted == nullptr || !wanted->dtype())) return std::nullopt;
      if (wanted != nullptr) spec.dtype = *wanted->dtype();
    }
  }
  changed.name = name_by_dtypes(definition, changed);
  return changed;
}

}  // namespace

std::vector<AllowedTypes> allowed_types(const DtypeConstraints& constraints,
                                        const Definition& definition,
                                        const OperatorBinding& binding) {
  std::vector<AllowedTypes> all;
  for (const auto& names : constraints.alternatives) {
    auto allowed = allowed_by(names, constraints.types, definition, binding);
    if (allowed && !allowed->empty()) all.push_back(std::move(*allowed));
  }
  return all;
}

std::vector<Definition> allowed_definitions(const std::vector<AllowedTypes>& allowed,
                                            const Definition& definition, std::size_t most) {
  std::vector<std::vector<int>> all;
  for (const AllowedTypes& one : allowed) Expansion(one, count_tensors(definition), most, all);
  std::vector<Definition> definitions;
  for (const std::vector<int>& types : all)
    if (auto changed = with_types(definition, types)) definitions.push_back(std::move(*changed));
  return definitions;
}

}  // namespace kbench
