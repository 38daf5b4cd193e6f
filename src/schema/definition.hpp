// Definition: what a kernel has to compute. FlashInfer-Bench's schema, its nouns unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schema/dtype.hpp"
#include "schema/field.hpp"
#include "schema/ordered_map.hpp"
#include "schema/raw_json.hpp"

namespace kbench {

struct AxisConst {
  std::string type = "const";
  std::int64_t value = 0;
  std::optional<std::string> description;
  FieldSet present{};
};

struct AxisVar {
  std::string type = "var";
  std::optional<std::string> description;
  FieldSet present{};
};

// An object without "type" is a const axis if it has a "value", else a var axis.
using Axis = std::variant<AxisConst, AxisVar>;

struct TensorSpec {
  std::optional<std::vector<std::string>> shape;  // axis names; nothing: a Python scalar; []: 0-D
  DType dtype = DType::float32;
  std::optional<std::string> description;
  FieldSet present{};
};

struct Definition {
  std::string name;
  std::string op_type;
  OrderedMap<Axis> axes;
  OrderedMap<TensorSpec> inputs;
  OrderedMap<TensorSpec> outputs;
  std::string reference;
  std::vector<std::string> tags;
  std::optional<std::string> description;
  std::vector<std::string> constraints;
  std::optional<RawJson> op_arguments;  // of the operator that a tag "op:…" names, by their names
  FieldSet present{};
};

// The length of a const axis, nothing for a var axis.
std::optional<std::int64_t> const_value(const Axis& axis);

}  // namespace kbench
