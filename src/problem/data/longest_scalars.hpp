// Scalars that say how long the longest sequence is: max_seqlen_q of cu_seqlens_q.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problem/data/reference_facts.hpp"
#include "problem/data/value_plan.hpp"
#include "problem/problem.hpp"

namespace kbench {

struct LongestScalar {
  std::string scalar;
  std::size_t input = 0;  // the indptr or lengths, by its position
};

// By what the reference compares a scalar with, else by its name.
std::vector<LongestScalar> longest_scalars(const Problem& problem, const ValuePlan& plan,
                                           const ReferenceFacts& facts);

// Returns a bound that no length exceeds that `rule` allows; `elements` of the input.
std::int64_t longest_possible(const ValueRule& rule, std::int64_t elements);
// Returns the longest length among the values of an indptr or of lengths.
std::int64_t longest_of(const ValueRule& rule, std::span<const double> values);

}  // namespace kbench
