#include "judge/derive/combine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "judge/derive/slice.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr double e = 2.718281828459045235;

std::string anything(const Problem&, const ShardLayout&) { return ""; }

// What is added or compared has to be whole somewhere.
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

// In the order of ranks, in double precision, with one rounding at the end.
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

}  // namespace kbench
