// Input sets that random numbers do not make: small integers, and rows of unlike structure. They
// show what is lost in noise otherwise; docs/verdict.md, "Structured inputs". They follow the tests
// of CUTLASS and oneDNN (integers), LAPACK's test matrices (LAPACK Working Note 41) and GPU MODE's
// batches of mixed conditioning.
#pragma once

#include <cstdint>
#include <string_view>

#include "problem/data/numbers.hpp"
#include "problem/data/value_plan.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"
#include "schema/definition.hpp"

namespace kbench {

enum class InputSet : std::uint8_t {
  random,     // distributions of docs/inputs.md
  exact,      // integers so small and few that sums of products are exact in the output's dtype
  mixed,      // row by row: plain, small, large, zero, a few dominant elements, cancelling pairs,
              // offsets, a mean that changes within the row, zeros of both signs and tiny numbers
  special,    // row by row: plain, masked by -∞ in part or as a whole, with a +∞ or a NaN
  clustered,  // row by row: as many large elements as are chosen, side by side or equally far apart
  keeping,    // gates of recurrences that hardly forget
  skewed,     // indices, lengths and routes of which the first or the last comes most often
  empty,      // sequences and rows of indices without an element, or with holes
  // Sets of whole numbers (seen_values.hpp).
  large_integers,  // as large as the reference calculates with; then all below 0
  constants,       // one that the reference looks for, everywhere
  masks            // rows that are all false, then all true
};
std::string_view set_name(InputSet set);  // "random", "exact", "mixed", …

struct Structure {
  InputSet set = InputSet::random;
  std::uint64_t seed = 0;
  std::uint32_t trial = 0;
  std::uint32_t turn = 0;  // rows go on where those of the turn before have ended
};

// Replaces floating tensors that may be any numbers: random ones that `plan` has no rule for, which
// are no probabilities. Sets of rows take those of them whose every leading axis is in an output,
// so that one row spoils no other; else, of vectors, those that go with an output's elements. A
// structure gives the same bits on any machine. Returns false where there is nothing to replace;
// `skewed` and `empty` are drawn so (skew_of).
bool restructure(const Definition& definition, const Problem& problem, const ValuePlan& plan,
                 const Structure& structure, Inputs& inputs);

// Turns after which each kind of row has come; 2 for `skewed`, 1 for other sets without rows.
std::uint32_t turns_of(const Definition& definition, const Problem& problem, const ValuePlan& plan,
                       InputSet set);

// Returns the skew of values that mean something in a turn of a set.
Skew skew_of(InputSet set, std::uint32_t turn);

}  // namespace kbench
