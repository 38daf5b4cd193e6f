// The tables of fields of InputSetsRecord, ReferenceNan.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/workload_record.hpp"

namespace kbench {

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
