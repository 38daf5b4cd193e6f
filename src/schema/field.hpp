// Table of fields, one a record: reading, writing, the JSON Schema and the reference pages follow
// from it. A record is a plain struct with a member `FieldSet present` and, in the header of its
// name that ends in _fields.hpp, which few files need to compile, a function
//   constexpr auto fields(const Record*) { return std::tuple{Field{...}, ...}; }
#pragma once

#include <cstdint>
#include <string_view>

namespace kbench {

// Fields that a record was given, bit i for row i of its table: only those are written back.
struct FieldSet {
  std::uint64_t bits = 0;
  bool has(int row) const { return (bits >> row) & 1U; }
  void add(int row) { bits |= std::uint64_t{1} << row; }
};

enum class Need {
  required,
  optional,   // has the member's initial value when absent; written in full dumps
  nullable,   // optional; null stands for absence, as the format's documentation says
  extension,  // kbench's own, unknown to FlashInfer-Bench: written only when present
  unusual,    // kbench's own, too: written only where it is not the initial value
};

// Demands on the values beyond their type.
enum class Rule {
  any,
  non_empty,        // string, each string of a list or each key of a map is a name: it has a
                    // character, and none that a terminal obeys
  name,             // non_empty, and at most 200 bytes: files are named after it
  text,             // string, or each of a list, has a character
  items,            // list has at least one item
  non_empty_items,  // both rules
  non_negative,     // number is >= 0, NaN is refused
  non_negative_or_nan,
  positive,
  fraction,         // 0 < x <= 1
  unit,             // 0 <= x <= 1
  setting,          // 0 < x <= largest_setting
  setting_or_zero,  // 0 <= x <= largest_setting
};

// Limit of calls, seconds or tolerance: nobody waits for more, and a run counts below 2^64.
constexpr std::int64_t largest_setting = 1'000'000'000;

constexpr std::size_t longest_name = 200;

constexpr bool is_of_names(Rule rule) {
  return rule == Rule::non_empty || rule == Rule::non_empty_items || rule == Rule::name;
}

template <class Record, class Member>
struct Field {
  std::string_view name;
  Member Record::*member;
  Need need;
  Rule rule;
  std::string_view doc;
};

template <class Record, class Member>
Field(std::string_view, Member Record::*, Need, Rule, std::string_view) -> Field<Record, Member>;

}  // namespace kbench
