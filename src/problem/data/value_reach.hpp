// Reach of index values, and the inputs that go together: read off constraints, the reference,
// shapes and the names of axes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problem/data/reference_facts.hpp"
#include "problem/data/value_evidence.hpp"
#include "problem/data/value_plan.hpp"
#include "problem/problem.hpp"

namespace kbench {

// Kind that an input was seen to be, and the evidence.
struct SeenKind {
  std::optional<ValueKind> kind;
  std::string sign;
};

// Tells whether a name is of queries: qo_indptr, cu_seqlens_q.
bool is_of_queries(std::string_view name);

// Both ends are included.
struct ValueInterval {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

// Inputs are named by their position. Refers to all that it is made of.
class ValueReach {
 public:
  ValueReach(const Problem& problem, const ReferenceFacts& facts, const ValueEvidence& evidence,
             const std::vector<SeenKind>& kinds)
      : problem_(problem),
        facts_(facts),
        evidence_(evidence),
        kinds_(kinds),
        scope_(scope_of(problem, facts)) {}

  // Returns the end of an indptr, or the sum of lengths.
  std::optional<std::int64_t> total_of(std::size_t i) const;
  // Returns the ids of this input that name something.
  std::optional<ValueInterval> id_range(std::size_t i, ValueKind kind) const;
  // Returns the longest length of this input, by what the reference does with it.
  std::optional<std::int64_t> longest_of(std::size_t i) const;
  // Returns the least value of these; nothing where none of them has one.
  std::optional<std::int64_t> least(std::span<const Size> sizes) const;
  // Returns the first of these that has a value.
  std::optional<std::int64_t> first(std::span<const Size> sizes) const;
  // The indptr of the keys that belong to these queries.
  std::optional<std::size_t> keys_indptr(std::size_t queries) const;
  // Tokens that one element of this indptr's range stands for.
  std::int64_t pages_of(std::size_t keys) const;
  // The one list of page ids, sequence after sequence.
  std::optional<std::size_t> flat_pages() const;
  std::optional<std::size_t> find_kind(ValueKind kind, std::size_t lowest_rank,
                                       std::size_t highest_rank) const;
  // The length of the first axis that fits a pattern, the best pattern first.
  std::optional<std::int64_t> axis_like(std::span<const std::string_view> patterns) const;
  std::int64_t page_size() const;  // tokens of a page; 1 where there are no pages

 private:
  const TensorPlan& tensor(std::size_t i) const { return problem_.inputs[i].tensor; }
  const std::string& name(std::size_t i) const { return tensor(i).name; }
  std::optional<ValueInterval> within(std::span<const IndexRange> ranges) const;
  std::optional<ValueInterval> indexed(std::size_t i) const;
  std::optional<std::int64_t> id_count(std::size_t i, ValueKind kind) const;
  std::optional<std::int64_t> target_tensor(const Targets& targets) const;

  const Problem& problem_;
  const ReferenceFacts& facts_;
  const ValueEvidence& evidence_;
  const std::vector<SeenKind>& kinds_;
  ConstraintScope scope_;
};

// A scalar that says how long the longest sequence is: max_seqlen_q of cu_seqlens_q.
struct LongestScalar {
  std::string scalar;
  std::size_t input = 0;  // the indptr or lengths, by its position
};

// Finds them by what the reference compares a scalar with, else by its name.
std::vector<LongestScalar> longest_scalars(const Problem& problem, const ValuePlan& plan,
                                           const ReferenceFacts& facts);

// Returns a bound that no length exceeds that `rule` allows; `elements` of the input.
std::int64_t longest_possible(const ValueRule& rule, std::int64_t elements);
// Returns the longest length among the values of an indptr or of lengths.
std::int64_t longest_of(const ValueRule& rule, std::span<const double> values);

}  // namespace kbench
