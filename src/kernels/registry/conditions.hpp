// Conditions that a sidecar states over what is known of a call (call_facts.hpp), and over the
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

// What it speaks of: "n", "x.dtype"; words are none of them.
std::vector<std::string> names_in_condition(const std::string& text);

// What an expression makes of integers by name, and of the words of call_facts.hpp. Violated,
// with the names that took part and their values: "BLOCK * VEC <= 1024, where BLOCK = 512, VEC =
// 4".
using IntegerOf = std::function<std::optional<std::int64_t>(std::string_view name)>;
ConstraintResult check_condition(const std::string& text, const IntegerOf& integer);
std::string values_of(const ConstraintResult& result, const IntegerOf& integer);

// What stands there under a name; a word is itself. `facts` must outlive it.
IntegerOf integers_in(const CallFacts& facts);

// Which of the conditions do not hold for a call, as they were declared, or speak of what is not
// given; "" where all hold.
std::string broken_condition(const std::vector<std::string>& conditions, const CallFacts& facts);

}  // namespace kbench
