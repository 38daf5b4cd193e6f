#include "operators/type.hpp"

#include <algorithm>

namespace kbench::ops {
namespace {

constexpr BaseTypeInfo table[] = {
    {BaseType::tensor, "Tensor", "Tensor"},
    {BaseType::integer, "int", "int64_t"},
    {BaseType::sym_int, "SymInt", "int64_t"},
    {BaseType::floating, "float", "double"},
    {BaseType::boolean, "bool", "bool"},
    {BaseType::string, "str", "std::string_view"},
    {BaseType::scalar, "Scalar", "Scalar"},
    {BaseType::scalar_type, "ScalarType", "ScalarType"},
    {BaseType::memory_format, "MemoryFormat", "MemoryFormat"},
    {BaseType::device, "Device", "Device"},
    {BaseType::device_index, "DeviceIndex", ""},
    {BaseType::dim_vector, "DimVector", ""},
    {BaseType::generator, "Generator", ""},
    {BaseType::graph_module, "GraphModule", ""},
    {BaseType::layout, "Layout", ""},
    {BaseType::qscheme, "QScheme", ""},
    {BaseType::storage, "Storage", ""},
    {BaseType::stream, "Stream", ""},
    {BaseType::sym_bool, "SymBool", ""},
    {BaseType::custom_class, "__torch__.torch.classes.", ""},
};

}  // namespace

std::span<const BaseTypeInfo> base_types() { return table; }

const BaseTypeInfo& info(BaseType type) { return table[static_cast<std::size_t>(type)]; }

std::optional<BaseType> find_base_type(std::string_view name) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const BaseTypeInfo& row) { return row.name == name; });
  if (found == std::end(table) || found->type == BaseType::custom_class) return std::nullopt;
  return found->type;
}

bool Type::has_list() const {
  return std::any_of(modifiers.begin(), modifiers.end(),
                     [](const Modifier& one) { return one.kind == Modifier::Kind::list; });
}

std::string text(const Type& type) {
  std::string out(info(type.base).name);
  out += type.class_name;
  for (const Modifier& modifier : type.modifiers) {
    if (modifier.kind == Modifier::Kind::optional) {
      out += '?';
    } else {
      out += modifier.size ? "[" + std::to_string(*modifier.size) + "]" : "[]";
    }
  }
  return out;
}

}  // namespace kbench::ops
