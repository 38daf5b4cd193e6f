// The types of operator schemas. Source: PyTorch, aten/src/ATen/native/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench::ops {

enum class BaseType : std::uint8_t {
  tensor,
  integer,
  sym_int,
  floating,
  boolean,
  string,
  scalar,
  scalar_type,
  memory_format,
  device,
  // Known to the grammar, and nothing that a kernel can be given:
  device_index,
  dim_vector,
  generator,
  graph_module,
  layout,
  qscheme,
  storage,
  stream,
  sym_bool,
  custom_class,  // "__torch__.torch.classes.<name>"
};

struct BaseTypeInfo {
  BaseType type;
  std::string_view name;  // in a schema
  std::string_view cpp;   // the parameter of a kernel, "" where there is none
};

std::span<const BaseTypeInfo> base_types();
const BaseTypeInfo& info(BaseType type);
std::optional<BaseType> find_base_type(std::string_view name);

// What is written behind a type: "?", "[]" or "[2]".
struct Modifier {
  enum class Kind : std::uint8_t { optional, list } kind = Kind::optional;
  std::optional<std::int64_t> size;  // of a list

  bool operator==(const Modifier&) const = default;
};

// A base type and its modifiers from the inside out: Tensor?[] is a list of optional tensors.
struct Type {
  BaseType base = BaseType::tensor;
  std::string class_name;  // of a custom class
  std::vector<Modifier> modifiers;

  bool operator==(const Type&) const = default;
  bool is(BaseType plain) const { return base == plain && modifiers.empty(); }
  bool is_optional() const {
    return !modifiers.empty() && modifiers.back().kind == Modifier::Kind::optional;
  }
  bool has_list() const;
};

// As a schema writes it: "Tensor?[]".
std::string text(const Type& type);

}  // namespace kbench::ops
