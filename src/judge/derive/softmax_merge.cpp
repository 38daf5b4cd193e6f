#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "judge/derive/combine.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

bool is_floating(const TensorPlan& tensor) {
  return info(tensor.dtype).kind == DTypeKind::floating;
}

bool is_without_last(const std::vector<std::int64_t>& of_lse, const std::vector<std::int64_t>& of) {
  return of.size() == of_lse.size() + 1 && std::equal(of_lse.begin(), of_lse.end(), of.begin());
}

constexpr double nothing = -std::numeric_limits<double>::infinity();

struct Merge {
  double unit;  // log of the base
  std::size_t width;
  std::vector<std::vector<double>> lse, part;  // of each rank
  std::vector<double> merged, sums;            // of all

  void merge_row(std::size_t row) {
    double most = nothing;
    for (const auto& of_rank : lse) most = std::fmax(most, of_rank[row]);
    double total = 0;
    for (const auto& of_rank : lse)
      total += most == nothing ? 0 : std::exp((of_rank[row] - most) * unit);
    merged[row] = total == 0 ? nothing : most + std::log(total) / unit;
    for (std::size_t rank = 0; rank < lse.size(); ++rank) {
      if (lse[rank][row] == nothing) continue;  // who has seen nothing adds nothing
      const double weight = std::exp((lse[rank][row] - merged[row]) * unit);
      for (std::size_t i = row * width; i < (row + 1) * width; ++i)
        sums[i] += weight * part[rank][i];
    }
  }
};

}  // namespace

std::string find_merged_pair(const Problem& whole, const ShardLayout& layout, MergedPair& pair) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < whole.outputs.size(); ++i)
    if (!layout.is_cut(i)) kept.push_back(i);
  const std::string wanted =
      "an output and its log-sum-exp are merged, which has its shape but for the last axis";
  if (kept.size() != 2)
    return fmt::format("{}; that takes two outputs that every rank has whole, and here is {}",
                       wanted, kept.empty() ? "none" : std::to_string(kept.size()));
  for (const auto& [out, lse] : {std::pair{kept[0], kept[1]}, std::pair{kept[1], kept[0]}}) {
    const TensorPlan& a = whole.outputs[out];
    const TensorPlan& b = whole.outputs[lse];
    if (!is_floating(a) || !is_floating(b) || !is_without_last(b.shape, a.shape)) continue;
    pair = {out, lse};
    return "";
  }
  return fmt::format("{}: {} and {} are not such", wanted, whole.outputs[kept[0]].name,
                     whole.outputs[kept[1]].name);
}

void softmax_merge(const Problem& whole, const ShardLayout& layout, const RankOutputs& ranks,
                   double base, Combined& out) {
  MergedPair pair;
  if (out.wrong = find_merged_pair(whole, layout, pair); !out.wrong.empty()) return;
  Merge merge{std::log(base), row_length(whole.outputs[pair.out].shape), {}, {}, {}, {}};
  for (const auto& rank : ranks) {
    merge.lse.push_back(decoded(rank[pair.lse]));
    merge.part.push_back(decoded(rank[pair.out]));
  }
  merge.merged.resize(merge.lse.front().size());
  merge.sums.resize(merge.part.front().size());
  for (std::size_t row = 0; row < merge.merged.size(); ++row) merge.merge_row(row);
  encode(whole.outputs[pair.out].dtype, std::span<const double>(merge.sums),
         out.memory[pair.out].data(), 0);
  encode(whole.outputs[pair.lse].dtype, std::span<const double>(merge.merged),
         out.memory[pair.lse].data(), 0);
}

}  // namespace kbench
