// Conditions that a sidecar states over axes, and over the parameters of configurations.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "problem/constraint.hpp"
#include "registry/yaml_place.hpp"

namespace kbench {

// A Python expression over integers, as constraints of Definitions are.
struct Condition {
  std::string text;
  Where where;
};

// The strings of a list; what is none is reported, and left out.
std::vector<std::string> read_words(const json::Value& value, const std::string& pointer,
                                    const YamlPlace& place);

// Reads the conditions of a list whose expressions make sense, whatever names they have; the others
// are reported.
std::vector<Condition> read_conditions(const json::Value& list, const std::string& pointer,
                                       const YamlPlace& place);
// Reads one of them.
std::optional<Condition> read_condition(const json::Value& value, const std::string& pointer,
                                        const YamlPlace& place);

// What an expression makes of integers by name. Violated, with the names that took part and their
// values: "BLOCK * VEC <= 1024, where BLOCK = 512, VEC = 4".
using IntegerOf = std::function<std::optional<std::int64_t>(std::string_view name)>;
ConstraintResult check_condition(const std::string& text, const IntegerOf& integer);
std::string values_of(const ConstraintResult& result, const IntegerOf& integer);

}  // namespace kbench
