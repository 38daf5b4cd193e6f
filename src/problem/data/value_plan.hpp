// Plan of the inputs that need more than any numbers of their dtype: what their values must be,
// read off the workload, the constraints, what the reference does with them, and names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "problem/data/reference_facts.hpp"
#include "problem/problem.hpp"
#include "schema/definition.hpp"
#include "schema/place.hpp"

namespace kbench {

// Sign of the kind `positive` where the reference shows it.
inline constexpr const char* by_reference = "the reference";

// Rule of one input's values.
struct ValueRule {
  ValueKind kind = ValueKind::ids;
  std::int64_t low = 0;  // limits of ids, positions and lengths; both are included
  std::int64_t high = 0;
  std::optional<std::int64_t> total;  // end of an indptr, sum of seq_lens
  bool padding = false;               // -1 may stand for no index
  bool distinct = false;              // ids must not repeat in the whole tensor
  bool stored = false;                // ids at which something is stored
  bool empty = false;                 // sequences may have no elements
  bool can_be_empty = false;          // structured inputs try whether the reference takes such
  bool ends = false;                  // an indptr without its first 0
  std::int64_t page_size = 1;         // tokens of a page
  std::string sign;                   // evidence of the kind
  // Other inputs that go with it, by their position.
  std::optional<std::size_t>
      keys;  // the indptr of keys: of a qo_indptr, a last_page_len, positions
  std::optional<std::size_t> queries;  // the indptr of queries that a last_page_len must cover
  std::optional<std::size_t> batch;    // positions: the batch_ids of the tokens
};

// One row an input, in the Definition's order; nothing: FlashInfer-Bench's distribution.
using ValuePlan = std::vector<std::optional<ValueRule>>;

// Reports rules that no choice of values can fulfil, and kinds that do not fit their input, at the
// workload's line; warns of what looks like an index of nothing known.
ValuePlan plan_values(const Definition& definition, const Problem& problem, const Place& line,
                      Diagnostics& diagnostics);

}  // namespace kbench
