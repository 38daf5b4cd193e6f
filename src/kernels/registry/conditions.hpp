// Conditions that a sidecar states over the facts of a call (call_facts.hpp), and over the
// parameters of configurations.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "kernels/registry/call_facts.hpp"
#include "problem/constraint.hpp"
#include "schema/place.hpp"

namespace kbench {

// Python expression over integers, as constraints of Definitions are.
struct Condition {
  std::string text;
  Where where;
};

// Returns the strings of a list; other items are reported, and left out.
std::vector<std::string> read_words(const json::Value& value, const std::string& pointer,
                                    const YamlPlace& place);

// Reads the conditions of a list whose expressions make sense, whatever names they have; the others
// are reported.
std::vector<Condition> read_conditions(const json::Value& list, const std::string& pointer,
                                       const YamlPlace& place);
// Reads one of them.
std::optional<Condition> read_condition(const json::Value& value, const std::string& pointer,
                                        const YamlPlace& place);

// Returns the names that a condition uses, "n", "x.dtype"; words are none of them.
std::vector<std::string> names_in_condition(const std::string& text);

// Evaluates a condition over numbers by name, and the words of call_facts.hpp. values_of() returns
// the names that took part and their values: "BLOCK = 512, VEC = 4".
using NumberOf = std::function<std::optional<Number>(std::string_view name)>;
ConstraintResult check_condition(const std::string& text, const NumberOf& number);
std::string values_of(const ConstraintResult& result, const NumberOf& number);

// Returns the value of a name: a fact, or the number of a word.
std::optional<Number> fact_or_word(std::string_view name, const CallFacts& facts);
// Looks names up in `facts`, which must outlive the result.
template <class T>
NumberOf numbers_in(const OrderedMap<T>& facts) {
  return [&facts](std::string_view name) -> std::optional<Number> {
    const T* const value = facts.find(name);
    return value == nullptr ? std::nullopt : std::optional<Number>(*value);
  };
}

// Returns the conditions that do not hold for a call, as they were declared, else those that use
// names that are not given; "" where all hold.
std::string broken_condition(const std::vector<std::string>& conditions, const CallFacts& facts);

}  // namespace kbench
