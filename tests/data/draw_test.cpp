#include "problem/data/draw.hpp"

#include <algorithm>
#include <set>

#include "data/value_case.hpp"

namespace kbench {
namespace {

using Values = std::vector<double>;

std::vector<double> lengths(const Values& bounds) {
  Values out;
  for (std::size_t i = 1; i < bounds.size(); ++i) out.push_back(bounds[i] - bounds[i - 1]);
  return out;
}

TEST(Draw, AnIndptrRisesFromZeroToItsTotal) {
  ValueCase c = ragged(20, 100, 9);
  for (std::uint32_t trial = 0; trial < 50; ++trial) {
    const Values bounds = c.values("kv_indptr", trial);
    ASSERT_EQ(bounds.size(), 9U);
    EXPECT_EQ(bounds.front(), 0);
    EXPECT_EQ(bounds.back(), 100);
    for (const double length : lengths(bounds)) EXPECT_GE(length, 1);
  }
}

TEST(Draw, LengthsVaryAndTrialsDiffer) {
  ValueCase c = ragged(20, 1000, 9);
  const Values first = c.values("kv_indptr", 0);
  EXPECT_EQ(first, c.values("kv_indptr", 0));
  EXPECT_NE(first, c.values("kv_indptr", 1));
  const Values sizes = lengths(first);
  EXPECT_LT(*std::min_element(sizes.begin(), sizes.end()), 60);
  EXPECT_GT(*std::max_element(sizes.begin(), sizes.end()), 200);
}

// The bits are the same on every machine: these numbers are part of what a seed means.
TEST(Draw, ASeedMeansTheseValues) {
  ValueCase c = ragged(6, 20, 4);
  EXPECT_EQ(c.values("kv_indptr"), (Values{0, 6, 10, 20}));
  EXPECT_EQ(c.values("qo_indptr"), (Values{0, 1, 5, 6}));
}

TEST(Draw, NoSequenceHasMoreQueriesThanKeys) {
  ValueCase c = ragged(95, 100, 12);
  for (std::uint32_t trial = 0; trial < 50; ++trial) {
    const Values keys = lengths(c.values("kv_indptr", trial));
    const Values queries = lengths(c.values("qo_indptr", trial));
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_LE(queries[i], keys[i]);
  }
}

TEST(Draw, TheLastPageHasRoomForTheQueries) {
  ValueCase c("def run():\n    pass\n");
  c.axis("n", 4).axis("batch_size", 3).axis("total_q", 40).axis("num_kv_indices", 3);
  c.axis("num_pages", 9).constant("page_size", 16);
  c.input("kv_last_page_len", DType::int32, {"batch_size"});
  c.input("qo_indptr", DType::int32, {"n"}).input("kv_indptr", DType::int32, {"n"});
  c.input("kv_indices", DType::int32, {"num_kv_indices"});
  for (std::uint32_t trial = 0; trial < 50; ++trial) {
    const Values queries = lengths(c.values("qo_indptr", trial));
    const Values last = c.values("kv_last_page_len", trial);
    for (std::size_t i = 0; i < last.size(); ++i) {
      EXPECT_GE(last[i], queries[i]);
      EXPECT_LE(last[i], 16);
    }
  }
}

std::set<double> row_of(const Values& values, std::size_t row, std::size_t width) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * width);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

TEST(Draw, ExpertsOfARowDiffer) {
  const Values values = of_kind(ValueKind::expert_ids, 200, 4, 5).values("x");
  for (std::size_t row = 0; row < 200; ++row) EXPECT_EQ(row_of(values, row, 4).size(), 4U);
  EXPECT_EQ(std::set<double>(values.begin(), values.end()), (std::set<double>{0, 1, 2, 3, 4, 5}));
}

TEST(Draw, PagesDifferInTheWholeTensorWhereThereAreEnough) {
  Values values = of_kind(ValueKind::page_ids, 4, 8, 31).values("x");
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], static_cast<double>(i));
  const Values fewer = of_kind(ValueKind::page_ids, 4, 8, 9).values("x");
  for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(row_of(fewer, row, 8).size(), 8U);
}

TEST(Draw, SparseRowsEndWithPadding) {
  ValueCase c = of_kind(ValueKind::sparse_ids, 100, 16, 9);
  c.about("x", "-1 is no index");
  const Values values = c.values("x");
  for (std::size_t row = 0; row < 100; ++row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row) * 16;
    const auto end = std::find(begin, begin + 16, -1.0);
    EXPECT_GE(end - begin, 1);
    EXPECT_LE(end - begin, 10);
    EXPECT_EQ(std::set<double>(begin, end).size(), static_cast<std::size_t>(end - begin));
    EXPECT_EQ(std::count(end, begin + 16, -1.0), begin + 16 - end);
  }
}

TEST(Draw, PackedExpertsHoldIdAndWeight) {
  const Values values = of_kind(ValueKind::packed_expert_ids, 50, 2, 7).values("x");
  for (const double value : values) {
    const auto bits = static_cast<std::uint32_t>(value);
    EXPECT_LE(bits >> 16, 7U);
    EXPECT_GE(bits & 0xFFFF, 0x3E80U);  // 0.25 as bfloat16
    EXPECT_LE(bits & 0xFFFF, 0x3F40U);  // 0.75
  }
}

TEST(Draw, EveryRowOfAMaskHasATrue) {
  ValueCase c;
  c.axis("n", 300).constant("k", 2).input("mask", DType::boolean, {"n", "k"});
  const Values values = c.values("mask");
  for (std::size_t row = 0; row < 300; ++row) EXPECT_TRUE(row_of(values, row, 2).contains(1));
  EXPECT_GT(std::count(values.begin(), values.end(), 0.0), 50);
}

TEST(Draw, FractionsLieAboveZeroUpToOne) {
  ValueCase c;
  c.axis("n", 5000).input("top_p", DType::float32, {"n"});
  for (const double value : c.values("top_p")) {
    EXPECT_GT(value, 0);
    EXPECT_LE(value, 1);
  }
}

TEST(Draw, AppendedTokensStandAtTheEndsOfTheirSequences) {
  ValueCase c("def run():\n    pass\n", "page_append");
  c.axis("nnz", 6).axis("n", 3).axis("num_kv_indices", 5).axis("num_pages", 9);
  c.constant("page_size", 4);
  c.input("batch_indices", DType::int32, {"nnz"}).input("positions", DType::int32, {"nnz"});
  c.input("kv_indptr", DType::int32, {"n"}).input("kv_indices", DType::int32, {"num_kv_indices"});
  const Values batch = c.values("batch_indices"), positions = c.values("positions");
  const Values bounds = c.values("kv_indptr");
  EXPECT_TRUE(std::is_sorted(batch.begin(), batch.end()));
  std::set<std::pair<double, double>> places;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto b = static_cast<std::size_t>(batch[i]);
    EXPECT_LT(positions[i], 4 * (bounds[b + 1] - bounds[b]));
    EXPECT_TRUE(places.emplace(batch[i], positions[i]).second);
  }
}

}  // namespace
}  // namespace kbench
