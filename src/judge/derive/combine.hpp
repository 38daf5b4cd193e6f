// What the ranks have left, put together: one row a way. Outputs that are cut are joined along
// their dimension in any case; the way says what becomes of those that every rank has whole.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/derive/shard.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

// Outputs of each rank, in the order of ranks.
using RankOutputs = std::vector<std::vector<TensorView>>;

// The outputs of the whole problem.
struct Combined {
  std::vector<std::vector<std::byte>> memory;
  std::vector<TensorView> outputs;  // point into it
  std::string wrong;  // not "": why there are none, "DISAGREE: output "y" is replicated, and …"
};

struct Combine {
  std::string_view name;
  std::string_view doc;
  bool is_by_entry = false;  // a function of the solution does it: nothing below is called
  // Why these outputs cannot be combined so, "" where they can.
  std::string (*unfit)(const Problem& whole, const ShardLayout& layout) = nullptr;
  // Fills the outputs that are not cut.
  void (*whole_outputs)(const Problem& whole, const ShardLayout& layout, const RankOutputs& ranks,
                        Combined& out) = nullptr;
};

// To add one: its row in combine.cpp, and its word in kernels/registry/sharding.cpp.
std::span<const Combine> combine_kinds();
const Combine* find_combine(std::string_view name);

// Room for the outputs of the whole problem.
Combined make_combined(const Problem& whole);

// Combines the outputs. With one rank they are that rank's, bit for bit, whatever the way.
Combined combine_outputs(const Combine& how, const Problem& whole, const ShardLayout& layout,
                         const RankOutputs& ranks);

// Which ranks have other bits than rank 0, and the first place where the first of them has.
struct Difference {
  std::vector<std::size_t> ranks;
  std::string place;  // "[1, 17]"
  double first = 0;   // rank 0's value there
  double other = 0;
};
Difference first_difference(const RankOutputs& ranks, std::size_t output);

// Whole outputs of ranks that must be the same: "" or who differs from rank 0 and where.
std::string disagreement(const std::string& name, std::size_t output, const RankOutputs& ranks);

// ---- softmax_merge.cpp ----

// Two floating outputs that are not cut, one of whose shapes is the other's without its last axis.
struct MergedPair {
  std::size_t out = 0;
  std::size_t lse = 0;
};
// "" and the pair, or why there is none.
std::string find_merged_pair(const Problem& whole, const ShardLayout& layout, MergedPair& pair);

// Softmax over keys of which each rank has seen a part: out = Σ w_r out_r with w_r = b^(lse_r -
// lse), lse = log_b Σ b^(lse_r); b is e or 2. A rank whose lse is -inf has seen nothing and counts
// nothing; where all are, out is 0, which an attention over nothing is. In double precision.
// Source: FlashAttention's split over keys (Dao et al. 2023, flash-decoding).
void softmax_merge(const Problem& whole, const ShardLayout& layout, const RankOutputs& ranks,
                   double base, Combined& out);

}  // namespace kbench
