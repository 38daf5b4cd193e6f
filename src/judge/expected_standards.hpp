// What the outputs of a Definition will be judged by, as far as that can be said without running
// its reference: `kbench show` prints it.
#pragma once

#include <string>
#include <vector>

#include "schema/definition.hpp"

namespace kbench {

struct ExpectedStandard {
  std::string output;
  std::string standard;  // as in standard_names of verdict/standard.hpp
  std::string why;       // for people
};

// By the output's dtype and the operators that the reference's text names. What a run finds out
// (error_tolerances_of) decides.
std::vector<ExpectedStandard> expected_standards(const Definition& definition);

}  // namespace kbench
