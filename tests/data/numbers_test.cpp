// What is drawn where inputs that mean something are skewed: problem/data/numbers.hpp.
#include "problem/data/numbers.hpp"

#include <algorithm>
#include <set>

#include "data/value_case.hpp"

namespace kbench {
namespace {

using Values = std::vector<double>;

ValueCase lookup(std::int64_t n) {
  ValueCase c("def run(table, t):\n    return table[t]\n", "lookup");
  c.axis("n", n).constant("rows", 1000).constant("d", 8);
  c.input("table", DType::float32, {"rows", "d"}).input("t", DType::int64, {"n"});
  return c;
}

TEST(Skew, TheLastOfATableComesMostAndTheFirstAtAll) {
  const Values few = lookup(4).values("t", 0, Skew::high);
  EXPECT_EQ(few, (Values{999, 999, 999, 0}));
  const Values many = lookup(4096).values("t", 0, Skew::high);
  EXPECT_GE(std::count(many.begin(), many.end(), 999), 3072);
  EXPECT_GE(std::count(many.begin(), many.end(), 0), 512);
  EXPECT_GT(std::set<double>(many.begin(), many.end()).size(), 100U);
  EXPECT_EQ(lookup(300).values("t", 0, Skew::low), Values(300, 0));
}

TEST(Skew, EndsComeSomewhereAmongOthers) {
  for (std::uint32_t trial = 0; trial < 20; ++trial) {
    const Values values = lookup(64).values("t", trial, Skew::ends);
    EXPECT_GE(std::count(values.begin(), values.end(), 999), 1);
    EXPECT_GE(std::count(values.begin(), values.end(), 0), 1);
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 50U);
  }
  EXPECT_EQ(lookup(1).values("t", 0, Skew::ends), Values{999});
}

TEST(Skew, ExpertsOfARowStillDiffer) {
  for (const Skew skew : {Skew::high, Skew::low, Skew::ends, Skew::empty}) {
    const Values values = of_kind(ValueKind::expert_ids, 200, 4, 7).values("x", 0, skew);
    for (std::size_t row = 0; row < 200; ++row) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * 4);
      EXPECT_EQ(std::set<double>(begin, begin + 4).size(), 4U);
      if (skew == Skew::high) {
        EXPECT_EQ(*begin, 7);
      }
      if (skew == Skew::low) {
        EXPECT_EQ(Values(begin, begin + 4), (Values{0, 1, 2, 3}));
      }
    }
  }
}

TEST(Skew, PagesStillDifferAndHaveTheLast) {
  for (const Skew skew : {Skew::high, Skew::ends}) {
    const Values values = of_kind(ValueKind::page_ids, 4, 8, 99).values("x", 0, skew);
    const std::set<double> all(values.begin(), values.end());
    EXPECT_EQ(all.size(), 32U);
    EXPECT_TRUE(all.contains(0));
    EXPECT_TRUE(all.contains(99));
  }
}

TEST(Skew, OneSequenceHasAllOrSomeHaveNone) {
  ValueCase c = ragged(20, 1000, 6);
  EXPECT_EQ(c.values("kv_indptr", 0, Skew::high), (Values{0, 1, 2, 3, 4, 1000}));
  EXPECT_EQ(c.values("kv_indptr", 0, Skew::low), (Values{0, 792, 856, 921, 984, 1000}));
  const Values empty = c.values("kv_indptr", 0, Skew::empty);
  EXPECT_EQ(empty[1], 0);
  EXPECT_EQ(empty[2], empty[3]);
  EXPECT_EQ(empty[4], 1000);
  const Values queries = c.values("qo_indptr", 0, Skew::empty);
  for (std::size_t i = 1; i < queries.size(); ++i)
    EXPECT_LE(queries[i] - queries[i - 1], empty[i] - empty[i - 1]);
}

ValueCase prefix_sums(std::int64_t n) {
  ValueCase c(
      "def run(x, lens):\n    out = []\n    for i in range(lens.shape[0]):\n"
      "        out.append(x[:int(lens[i])].sum())\n    return torch.stack(out)\n",
      "prefix");
  c.axis("n", n).constant("d", 300);
  c.input("x", DType::float32, {"d"}).input("lens", DType::int32, {"n"});
  return c;
}

TEST(Skew, LengthsLieBesideTiles) {
  ValueCase c = prefix_sums(4);
  EXPECT_EQ(c.values("lens", 0, Skew::high), (Values{300, 1, 64, 65}));
  EXPECT_EQ(c.values("lens", 0, Skew::low), (Values{63, 16, 17, 15}));
  const Values empty = c.values("lens", 0, Skew::empty);
  EXPECT_EQ(empty[0], 0);
  EXPECT_GT(empty[1], 0);
  EXPECT_EQ(empty[3], 0);
}

TEST(Skew, PaddingStandsBetweenIndices) {
  ValueCase c = of_kind(ValueKind::sparse_ids, 5, 16, 99);
  c.about("x", "-1 is no index");
  const Values values = c.values("x", 0, Skew::empty);
  EXPECT_EQ(std::count(values.begin(), values.begin() + 16, -1), 16);
  for (std::size_t row = 1; row < 5; ++row) {
    EXPECT_EQ(values[row * 16 + 1], -1);
    EXPECT_GE(values[row * 16], 0);
  }
  EXPECT_TRUE(can_skew(c.plan(), Skew::empty));
  EXPECT_FALSE(can_skew(lookup(4).plan(), Skew::empty));
  EXPECT_TRUE(can_skew(lookup(4).plan(), Skew::high));
}

// Which of two that are stored at one place comes last is nobody's to say.
TEST(Skew, WhatIsStoredOverEachOtherStaysAsItIs) {
  ValueCase c("def run(x, t):\n    y = torch.zeros(5)\n    y[t] = x\n    return y\n", "put");
  c.axis("n", 40).input("x", DType::float32, {"n"}).input("t", DType::int64, {"n"});
  c.constant("five", 5);
  EXPECT_EQ(c.values("t", 0, Skew::high), c.values("t"));
  EXPECT_FALSE(can_skew(c.plan(), Skew::high));
  ValueCase pairs("def run(x, a, b):\n    y = torch.zeros(5, 9)\n    y[a, b] = x\n    return y\n",
                  "put");
  pairs.axis("n", 4).input("x", DType::float32, {"n"});
  pairs.input("a", DType::int64, {"n"}).input("b", DType::int64, {"n"});
  EXPECT_FALSE(can_skew(pairs.plan(), Skew::high));
}

}  // namespace
}  // namespace kbench
