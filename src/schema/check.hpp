// Rules that a record must fulfil beyond the types of its fields. All problems are reported, in the
// order in which FlashInfer-Bench finds the first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/definition.hpp"
#include "schema/solution.hpp"
#include "schema/trace.hpp"
#include "schema/tuned_entry.hpp"

namespace kbench {

// Problem of a record: its field ("" for the record itself), as a JSON pointer below the record;
// for problems inside a string, the byte of the decoded string where it is.
struct Finding {
  std::string pointer;
  std::string message;
  std::string hint;
  std::size_t index = 0;  // byte in the string at `pointer`, if that is a string
};
using Findings = std::vector<Finding>;

Findings check(const AxisConst& axis);
Findings check(const AxisVar& axis);
Findings check(const Definition& definition);
Findings check(const SourceFile& source);
Findings check(const BuildSpec& spec);
Findings check(const Solution& solution);
Findings check(const Evaluation& evaluation);
Findings check(const RandomInput& input);
Findings check(const SafetensorsInput& input);
Findings check(const TunedEntry& entry);
Findings check(const OverlayFile& overlay);

// Records without such rules.
template <class Record>
Findings check(const Record&) {
  return {};
}

}  // namespace kbench
