// Combination of the ranks' outputs into one.
#include "judge/derive/combine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/registry/sharding.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

// Outputs of ranks in memory of their own.
struct Left {
  std::vector<std::vector<std::vector<std::byte>>> memory;
  RankOutputs views;

  void add(std::size_t rank, DType dtype, std::vector<std::int64_t> shape,
           const std::vector<double>& values) {
    memory.resize(std::max(memory.size(), rank + 1));
    views.resize(memory.size());
    std::vector<std::byte> bytes(storage_bytes(dtype, values.size()));
    encode(dtype, std::span<const double>(values), bytes.data(), 0);
    memory[rank].push_back(std::move(bytes));
    const auto& kept = memory[rank].back();
    views[rank].push_back({dtype, std::move(shape), kept.data(), kept.size()});
  }
};

Problem problem(const std::vector<TensorPlan>& outputs) {
  Problem out;
  out.outputs = outputs;
  return out;
}

ShardLayout layout(std::int64_t ranks, std::vector<int> outputs) {
  return {{"M"}, ranks, {}, std::move(outputs)};
}

std::vector<double> combined(std::string_view how, const Problem& whole, const ShardLayout& cut,
                             const RankOutputs& ranks, std::size_t output = 0) {
  const Combined out = combine_outputs(*find_combine(how), whole, cut, ranks);
  EXPECT_EQ(out.wrong, "");
  return decoded(out.outputs[output]);
}

using Numbers = std::vector<double>;

TEST(Combine, WhatASidecarMaySayIsThere) {
  std::vector<std::string> names;
  for (const Combine& kind : combine_kinds()) names.emplace_back(kind.name);
  EXPECT_EQ(names, combine_names());
}

TEST(Combine, JoinsAlongAnyDimension) {
  Left left;
  left.add(0, DType::float32, {2, 1}, {1, 3});
  left.add(1, DType::float32, {2, 1}, {2, 4});
  const Problem columns = problem({{"y", DType::float32, false, {2, 2}}});
  EXPECT_EQ(combined("concat", columns, layout(2, {1}), left.views), (Numbers{1, 2, 3, 4}));
  const Problem rows = problem({{"y", DType::float32, false, {4, 1}}});
  EXPECT_EQ(combined("concat", rows, layout(2, {0}), left.views), (Numbers{1, 3, 2, 4}));
}

TEST(Combine, ReplicatedOutputsAreTheSame) {
  Left left;
  for (std::size_t rank = 0; rank < 4; ++rank)
    left.add(rank, DType::float32, {2, 3}, {0, 1, 2, 3, rank % 2 == 1 ? 7.0 : 4.0, 5});
  const Problem whole = problem({{"y", DType::float32, false, {2, 3}}});
  const Combined out = combine_outputs(*find_combine("concat"), whole, layout(4, {-1}), left.views);
  EXPECT_EQ(out.wrong,
            "DISAGREE: output \"y\" is replicated, and what ranks 1, 3 have is not what rank 0 "
            "has: at [1, 1] 7 on rank 1, 4 on rank 0");
}

TEST(Combine, AddsInDoublePrecisionAndRoundsOnce) {
  Left left;
  for (std::size_t rank = 0; rank < 3; ++rank)
    left.add(rank, DType::bfloat16, {1}, {1 + 1 / 128.0});
  const Problem whole = problem({{"y", DType::bfloat16, false, {1}}});
  EXPECT_EQ(combined("sum", whole, layout(3, {-1}), left.views), (Numbers{3.03125}));
}

TEST(Combine, AddsLargeIntegersExactly) {
  Left left;
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    left.add(rank, DType::int64, {1}, {0});
    std::memcpy(left.memory[rank][0].data(), &large, sizeof large);
  }
  const Problem whole = problem({{"n", DType::int64, false, {1}}});
  const Combined out = combine_outputs(*find_combine("sum"), whole, layout(2, {-1}), left.views);
  std::int64_t sum = 0;
  std::memcpy(&sum, out.outputs[0].data, sizeof sum);
  EXPECT_EQ(sum, 2 * large);
}

TEST(Combine, TakesTheLargestAndKeepsNaN) {
  Left left;
  left.add(0, DType::float32, {3}, {1, -5, NAN});
  left.add(1, DType::float32, {3}, {2, -inf, 3});
  const Problem whole = problem({{"y", DType::float32, false, {3}}});
  const Numbers got = combined("max", whole, layout(2, {-1}), left.views);
  EXPECT_EQ(got[0], 2);
  EXPECT_EQ(got[1], -5);
  EXPECT_TRUE(std::isnan(got[2]));
}

// Scores of keys, with values of width 2.
struct Keys {
  Numbers scores, values;

  // Returns out and, last, lse to the base, of keys [begin, end).
  Numbers attend(std::size_t begin, std::size_t end, double base) const {
    double total = 0;
    Numbers out(2);
    for (std::size_t i = begin; i < end; ++i) {
      total += std::exp(scores[i]);
      for (std::size_t c = 0; c < 2; ++c) out[c] += std::exp(scores[i]) * values[2 * i + c];
    }
    for (double& value : out) value /= total;
    out.push_back(std::log(total) / std::log(base));
    return out;
  }
};

void merges(std::string_view how, double base) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Keys keys{Numbers(12), Numbers(24)};
  for (double& one : keys.scores) one = 3 * normal(random);
  for (double& one : keys.values) one = normal(random);
  Left left;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const Numbers part = keys.attend(4 * rank, 4 * rank + 4, base);
    left.add(rank, DType::float32, {1, 2}, {part[0], part[1]});
    left.add(rank, DType::float32, {1}, {part[2]});
  }
  const Numbers wanted = keys.attend(0, 12, base);
  const Problem whole =
      problem({{"out", DType::float32, false, {1, 2}}, {"lse", DType::float32, false, {1}}});
  const ShardLayout cut = layout(3, {-1, -1});
  const Numbers merged = combined(how, whole, cut, left.views);
  EXPECT_NEAR(merged[0], wanted[0], 1e-6);
  EXPECT_NEAR(merged[1], wanted[1], 1e-6);
  EXPECT_NEAR(combined(how, whole, cut, left.views, 1)[0], wanted[2], 1e-6);
}

TEST(Combine, MergesSoftmaxOverPartsOfTheKeys) {
  merges("softmax_merge", std::exp(1.0));
  merges("softmax_merge2", 2);
}

TEST(Combine, WhoHasSeenNoKeyCountsNothing) {
  Left left;
  left.add(0, DType::float32, {2, 1}, {NAN, 0});  // an output of no key counts nothing
  left.add(0, DType::float32, {2}, {-inf, -inf});
  left.add(1, DType::float32, {2, 1}, {3, 0});
  left.add(1, DType::float32, {2}, {1, -inf});
  const Problem whole =
      problem({{"out", DType::float32, false, {2, 1}}, {"lse", DType::float32, false, {2}}});
  const ShardLayout cut = layout(2, {-1, -1});
  EXPECT_EQ(combined("softmax_merge", whole, cut, left.views), (Numbers{3, 0}));
  EXPECT_EQ(combined("softmax_merge", whole, cut, left.views, 1), (Numbers{1, -inf}));
}

TEST(Combine, SaysWhatDoesNotFit) {
  const Problem one = problem({{"y", DType::float32, false, {4}}});
  EXPECT_EQ(find_combine("sum")->unfit(one, layout(2, {0})),
            "all outputs carry M: they are joined along it");
  EXPECT_EQ(find_combine("softmax_merge")->unfit(one, layout(2, {-1})),
            "an output and its log-sum-exp are merged, which has its shape but for the last axis; "
            "that takes two outputs that every rank has whole, and here is 1");
  const Problem flags = problem({{"f", DType::boolean, false, {4}}});
  EXPECT_EQ(find_combine("max")->unfit(flags, layout(2, {-1})), "f is of bools");
  EXPECT_EQ(find_combine("average"), nullptr);
}

// Signalling NaNs and negative zeros stay: nothing is decoded and encoded.
TEST(Combine, T17OfOneRankEveryBitIsKept) {
  for (const Combine& how : combine_kinds()) {
    Left left;
    left.add(0, DType::float32, {2, 1}, {-0.0, 0});
    left.add(0, DType::float32, {2}, {1, 2});
    const std::uint32_t odd = 0x7fa00001;
    std::memcpy(left.memory[0][0].data() + 4, &odd, sizeof odd);
    const Problem whole =
        problem({{"out", DType::float32, false, {2, 1}}, {"lse", DType::float32, false, {2}}});
    const Combined out = combine_outputs(how, whole, layout(1, {-1, -1}), left.views);
    EXPECT_EQ(out.wrong, "");
    EXPECT_EQ(out.memory, left.memory[0]) << how.name;
  }
}

}  // namespace
}  // namespace kbench
