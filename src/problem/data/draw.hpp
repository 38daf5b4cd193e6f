// Values that fulfil a ValuePlan, from the seed alone.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "problem/data/numbers.hpp"
#include "problem/data/value_plan.hpp"
#include "problem/problem.hpp"

namespace kbench {

struct DrawOptions {
  std::uint64_t seed = 0;
  std::uint32_t trial = 0;
  // The values of an input without a rule that others go with, say a kv_indptr from a file; empty
  // where they are not known.
  std::function<std::vector<double>(std::size_t input)> given;
  Skew skew = Skew::none;
};

// Tells whether a skew changes the choice of some input's values.
bool can_skew(const ValuePlan& plan, Skew skew);

// Returns one row for each input, empty where the plan has no rule (or says `probs`, which
// generate_inputs() makes): the elements in row-major order, exact in the input's dtype. They are
// the same on any machine, and others in each trial.
std::vector<std::vector<double>> draw_values(const Problem& problem, const ValuePlan& plan,
                                             const DrawOptions& options);

}  // namespace kbench
