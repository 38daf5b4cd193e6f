// What a Trace says of its workload alone, whatever solution was judged: which inputs it was judged
// by, and what the reference's answer has that nobody may expect.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "schema/field.hpp"
#include "schema/ordered_map.hpp"

namespace kbench {

// The structured input sets, where the rule asks for the double-precision answer.
struct InputSetsRecord {
  std::vector<std::string> used;  // "exact", "mixed", "mixed 2", …, in the order they were judged
  OrderedMap<std::string> dropped;  // the others, and why
  FieldSet present{};
};

// NaN of an output in the reference's own answer, to the first random inputs that make any.
struct ReferenceNan {
  std::string output;
  std::int64_t count = 0;
  std::int64_t elements = 0;  // of the output
  std::string where;          // "all in the first 2 of axis 0"; "first at [3]"
  FieldSet present{};
};

constexpr auto fields(const InputSetsRecord*) {
  return std::tuple{Field{"used", &InputSetsRecord::used, Need::required, Rule::any,
                          "Names of those that were judged."},
                    Field{"dropped", &InputSetsRecord::dropped, Need::optional, Rule::any,
                          "Names of those that would not be fair, and why."}};
}

constexpr auto fields(const ReferenceNan*) {
  return std::tuple{Field{"output", &ReferenceNan::output, Need::required, Rule::any, "Its name."},
                    Field{"count", &ReferenceNan::count, Need::required, Rule::positive,
                          "How many of its elements are NaN."},
                    Field{"elements", &ReferenceNan::elements, Need::required, Rule::positive,
                          "How many it has."},
                    Field{"where", &ReferenceNan::where, Need::required, Rule::any,
                          "What their places have in common, or the first of them."}};
}

}  // namespace kbench
