// What a Trace says of its workload alone, whatever solution was judged: which inputs it was judged
// by, and what the reference's answer has that nobody may expect.
#pragma once

#include <cstdint>
#include <string>
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

}  // namespace kbench
