#include "judge/derive/combine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.hpp"
#include "judge/derive/shard.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr double e = 2.718281828459045235;

std::string anything(const Problem&, const ShardLayout&) { return ""; }

// Outputs that are added or compared have to be whole somewhere.
std::string has_whole_output(const Problem&, const ShardLayout& layout) {
  if (!layout.cuts_all_outputs()) return "";
  return fmt::format("all outputs carry {}: they are joined along it", join(layout.axes, " or "));
}

std::string has_numbers(const Problem& whole, const ShardLayout& layout) {
  std::string why = has_whole_output(whole, layout);
  for (std::size_t i = 0; why.empty() && i < whole.outputs.size(); ++i) {
    if (!layout.is_cut(i) && info(whole.outputs[i].dtype).kind == DTypeKind::boolean)
      why = fmt::format("{} is of bools", whole.outputs[i].name);
  }
  return why;
}

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
  std::vector<std::vector<double>> lse, part;  // one a rank
  std::vector<double> merged, sums;            // those of all

  void merge_row(std::size_t row) {
    double most = nothing;
    for (const auto& of_rank : lse) most = std::fmax(most, of_rank[row]);
    double total = 0;
    for (const auto& of_rank : lse)
      total += most == nothing ? 0 : std::exp((of_rank[row] - most) * unit);
    merged[row] = total == 0 ? nothing : most + std::log(total) / unit;
    for (std::size_t rank = 0; rank < lse.size(); ++rank) {
      if (lse[rank][row] == nothing) continue;  // a rank that has seen nothing adds nothing
      const double weight = std::exp((lse[rank][row] - merged[row]) * unit);
      for (std::size_t i = row * width; i < (row + 1) * width; ++i)
        sums[i] += weight * part[rank][i];
    }
  }
};

// Two floating outputs that are not cut, one of whose shapes is the other's without its last axis.
struct MergedPair {
  std::size_t out = 0;
  std::size_t lse = 0;
};
// "" and the pair, or why there is none.
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

// Softmax over keys of which each rank has seen a part: out = Σ w_r out_r with w_r = b^(lse_r -
// lse), lse = log_b Σ b^(lse_r); b is e or 2. A rank whose lse is -inf has seen nothing and counts
// nothing; where all are, out is 0, which an attention over nothing is. All is in double precision.
// Source: FlashAttention's split over keys (Dao et al. 2023, flash-decoding).
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

std::string has_pair(const Problem& whole, const ShardLayout& layout) {
  MergedPair pair;
  return find_merged_pair(whole, layout, pair);
}

void keep_replicated(const Problem& whole, const ShardLayout& layout, const RankOutputs& ranks,
                     Combined& out) {
  for (std::size_t i = 0; i < whole.outputs.size(); ++i) {
    if (layout.is_cut(i)) continue;
    out.wrong = disagreement(whole.outputs[i].name, i, ranks);
    if (!out.wrong.empty()) return;
    const TensorView& first = ranks.front()[i];
    std::memcpy(out.memory[i].data(), first.data, first.bytes);
  }
}

// Integers of 64 bits are not all doubles: they are added as what they are, modulo 2^64.
template <class Op>
void fold_integers(const RankOutputs& ranks, std::size_t output, Op op, std::byte* to) {
  const std::size_t count = ranks.front()[output].bytes / sizeof(std::int64_t);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t total = 0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      std::int64_t value = 0;
      std::memcpy(&value, ranks[rank][output].data + i * sizeof value, sizeof value);
      total = rank == 0 ? value : op(total, value);
    }
    std::memcpy(to + i * sizeof total, &total, sizeof total);
  }
}

// Folds in the order of ranks, in double precision, with one rounding at the end.
template <class Op>
void fold_numbers(const RankOutputs& ranks, std::size_t output, Op op, std::byte* to) {
  std::vector<double> total = decoded(ranks.front()[output]);
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    const std::vector<double> values = decoded(ranks[rank][output]);
    for (std::size_t i = 0; i < total.size(); ++i) total[i] = op(total[i], values[i]);
  }
  encode(ranks.front()[output].dtype, std::span<const double>(total), to, 0);
}

// `op` is of two doubles, and of two integers.
template <class Op>
void fold(const Problem& whole, const ShardLayout& layout, const RankOutputs& ranks, Op op,
          Combined& out) {
  for (std::size_t i = 0; i < whole.outputs.size(); ++i) {
    if (layout.is_cut(i)) continue;
    if (whole.outputs[i].dtype == DType::int64)
      fold_integers(ranks, i, op, out.memory[i].data());
    else
      fold_numbers(ranks, i, op, out.memory[i].data());
  }
}

struct Add {
  double operator()(double a, double b) const { return a + b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
};

// A NaN of any rank is a NaN, as torch.maximum has it.
struct Larger {
  double operator()(double a, double b) const {
    return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
  }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::max(a, b); }
};

void add_up(const Problem& whole, const ShardLayout& layout, const RankOutputs& ranks,
            Combined& out) {
  fold(whole, layout, ranks, Add{}, out);
}

void take_largest(const Problem& whole, const ShardLayout& layout, const RankOutputs& ranks,
                  Combined& out) {
  fold(whole, layout, ranks, Larger{}, out);
}

void merge_natural(const Problem& whole, const ShardLayout& layout, const RankOutputs& ranks,
                   Combined& out) {
  softmax_merge(whole, layout, ranks, e, out);
}

void merge_binary(const Problem& whole, const ShardLayout& layout, const RankOutputs& ranks,
                  Combined& out) {
  softmax_merge(whole, layout, ranks, 2, out);
}

constexpr Combine combines[] = {
    {"concat", "outputs are joined along the axis; those without it are the same on every rank",
     false, &anything, &keep_replicated},
    {"sum", "outputs without the axis are added up", false, &has_numbers, &add_up},
    {"max", "outputs without the axis: the largest of each element", false, &has_numbers,
     &take_largest},
    {"softmax_merge",
     "an output and its log-sum-exp, the natural one, over a part of the keys each", false,
     &has_pair, &merge_natural},
    {"softmax_merge2", "the same where the log-sum-exp is to base 2, as FlashInfer's is", false,
     &has_pair, &merge_binary},
    {"entry", "a function of the solution: its entry combine", true, &anything, nullptr},
};

}  // namespace

std::span<const Combine> combine_kinds() { return combines; }

const Combine* find_combine(std::string_view name) {
  const auto found = std::find_if(std::begin(combines), std::end(combines),
                                  [name](const Combine& kind) { return kind.name == name; });
  return found == std::end(combines) ? nullptr : found;
}

Combined make_combined(const Problem& whole) {
  Combined out;
  for (const TensorPlan& output : whole.outputs) {
    out.memory.emplace_back(storage_bytes(output.dtype, element_count(output.shape)));
    const auto& bytes = out.memory.back();
    out.outputs.push_back({output.dtype, output.shape, bytes.data(), bytes.size()});
  }
  return out;
}

Combined combine_outputs(const Combine& how, const Problem& whole, const ShardLayout& layout,
                         const RankOutputs& ranks) {
  Combined out = make_combined(whole);
  for (std::size_t i = 0; i < whole.outputs.size(); ++i) {
    if (!layout.is_cut(i) && ranks.size() > 1) continue;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const auto part = static_cast<std::int64_t>(rank);
      const Slice slice{std::max(layout.outputs[i], 0), part, layout.ranks};
      place_slice(ranks[rank][i], slice, whole.outputs[i].shape, out.memory[i].data());
    }
  }
  if (ranks.size() > 1 && !layout.cuts_all_outputs()) how.whole_outputs(whole, layout, ranks, out);
  return out;
}

Difference first_difference(const RankOutputs& ranks, std::size_t output) {
  const TensorView& first = ranks.front()[output];
  const auto value = [&](std::size_t rank, std::size_t index) {
    double number = 0;
    decode(first.dtype, ranks[rank][output].data, index, std::span(&number, 1));
    return number;
  };
  Difference found;
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
    const TensorView& other = ranks[rank][output];
    const auto [at, unused] = std::mismatch(first.data, first.data + first.bytes, other.data);
    if (at == first.data + first.bytes) continue;
    found.ranks.push_back(rank);
    if (found.ranks.size() > 1) continue;
    const auto bits = static_cast<std::size_t>(info(first.dtype).bits);
    const std::size_t index = static_cast<std::size_t>(at - first.data) * 8 / bits;
    found.place = place_text(index, first.shape);
    found.first = value(0, index);
    found.other = value(rank, index);
  }
  return found;
}

std::string disagreement(const std::string& name, std::size_t output, const RankOutputs& ranks) {
  const Difference found = first_difference(ranks, output);
  if (found.ranks.empty()) return "";
  std::vector<std::string> who;
  for (const std::size_t rank : found.ranks) who.push_back(std::to_string(rank));
  return fmt::format(
      "DISAGREE: output \"{}\" is replicated, and what rank{} {} {} is not what rank 0 has: at {} "
      "{} on rank {}, {} on rank 0",
      name, who.size() == 1 ? "" : "s", join(who, ", "), who.size() == 1 ? "has" : "have",
      found.place, found.other, who.front(), found.first);
}

std::int64_t rank_count(MeshLines lines) {
  std::int64_t count = 1;
  for (const ShardLine& line : lines) count *= line.layout.ranks;
  return count;
}

Problem mesh_problem(Problem whole, MeshLines lines) {
  for (const ShardLine& line : lines) whole = rank_problem(whole, line.layout);
  return whole;
}

std::vector<Inputs> mesh_inputs(const Inputs& whole, const Problem& problem, MeshLines lines) {
  const ShardLayout& layout = lines.front().layout;
  const Problem local = rank_problem(problem, layout);
  std::vector<Inputs> all;
  for (std::int64_t rank = 0; rank < layout.ranks; ++rank) {
    Inputs part = rank_inputs(whole, local, layout, rank);
    if (lines.size() == 1) {
      all.push_back(std::move(part));
    } else {
      for (Inputs& one : mesh_inputs(part, local, lines.subspan(1))) all.push_back(std::move(one));
    }
  }
  return all;
}

Combined combine_mesh(MeshLines lines, const Problem& whole, const RankOutputs& ranks) {
  const ShardLine& line = lines.front();
  if (lines.size() == 1) return combine_outputs(*line.combine, whole, line.layout, ranks);
  const Problem local = rank_problem(whole, line.layout);
  const auto within = static_cast<std::size_t>(rank_count(lines.subspan(1)));
  std::vector<Combined> parts;  // the outputs point into them
  RankOutputs outputs;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(line.layout.ranks); ++rank) {
    const auto begin = ranks.begin() + static_cast<std::ptrdiff_t>(rank * within);
    const RankOutputs some(begin, begin + static_cast<std::ptrdiff_t>(within));
    parts.push_back(combine_mesh(lines.subspan(1), local, some));
    if (!parts.back().wrong.empty()) {
      Combined out = make_combined(whole);
      out.wrong = fmt::format("{} (rank {} of {})", parts.back().wrong, rank, line.name);
      return out;
    }
    outputs.push_back(parts.back().outputs);
  }
  Combined out = combine_outputs(*line.combine, whole, line.layout, outputs);
  if (!out.wrong.empty()) out.wrong += fmt::format(" (ranks of {})", line.name);
  return out;
}

std::string mesh_text(const Problem& local, MeshLines lines) {
  ShardLayout any = lines.front().layout;
  const auto add = [](std::vector<int>& all, const std::vector<int>& own) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], own[i]);
  };
  for (const ShardLine& line : lines) {
    add(any.inputs, line.layout.inputs);
    add(any.outputs, line.layout.outputs);
  }
  return layout_text(local, any);
}

std::string axes_text(MeshLines lines) {
  std::vector<std::string> words;
  for (const ShardLine& line : lines) {
    for (const std::string& axis : line.layout.axes)
      words.push_back(
          line.name.empty() ? axis : fmt::format("{}:{}={}", axis, line.name, line.layout.ranks));
  }
  return join(words, ",");
}

}  // namespace kbench
