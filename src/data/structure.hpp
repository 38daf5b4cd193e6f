// Input sets that random numbers do not make: small integers, and rows of unlike structure. They
// show what is lost in noise otherwise. Source: shared/research/corr.md §3.3, which follows CUTLASS
// and oneDNN (integers), LAPACK's test matrices and GPU MODE's batches of mixed conditioning.
#pragma once

#include <cstdint>
#include <string_view>

#include "data/value_plan.hpp"
#include "problem/inputs.hpp"
#include "problem/problem.hpp"
#include "schema/definition.hpp"

namespace kbench {

enum class InputSet : std::uint8_t {
  random,  // what docs/inputs.md says
  exact,   // integers so small and few that sums of products are exact in the output's dtype
  mixed,   // row by row: plain, small, large, zero, a few dominant elements, cancelling pairs, a
           // common offset, zeros of both signs and tiny numbers
  special  // row by row: plain, masked by -∞ in part or as a whole, with a +∞ or a NaN
};
std::string_view set_name(InputSet set);  // "random", "exact", "mixed", "special"

struct Structure {
  InputSet set = InputSet::random;
  std::uint64_t seed = 0;
  std::uint32_t trial = 0;
};

// Replaces floating tensors that may be any numbers: random ones that `plan` has no rule for, which
// are no probabilities. `mixed` and `special` take those of them whose every leading axis is in an
// output, so that one row spoils no other; else, of vectors, those that go with an output's
// elements. The same bits from the same structure on any machine. False where there is nothing to
// replace.
bool restructure(const Definition& definition, const Problem& problem, const ValuePlan& plan,
                 const Structure& structure, Inputs& inputs);

}  // namespace kbench
