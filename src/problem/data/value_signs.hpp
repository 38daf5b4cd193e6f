// By which names inputs and axes are known: the tables of what a name says, for lack of anything
// better. To add a sign, add a row.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "schema/definition.hpp"
#include "schema/trace.hpp"

namespace kbench {

// What an input's name, dtype and op type say of its values; nothing where any number will do.
std::optional<ValueKind> kind_of_name(std::string_view op_type, std::string_view name,
                                      const TensorSpec& spec);

// Does `name` fit `pattern`, where '*' stands for anything?
bool fits_pattern(std::string_view name, std::string_view pattern);

// Where ids of a kind lead: names of axes, and of inputs whose first axis it is, best first.
struct Targets {
  std::span<const std::string_view> axes;
  std::span<const std::string_view> tensors;
};
Targets targets_of(ValueKind kind);

}  // namespace kbench
