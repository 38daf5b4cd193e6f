#include "problem/data/structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "problem/data/generate.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

// y[M, N] of x[M, K], w[N, K], a norm's g[K], indices i[M] and a scalar s, and a residual r[M, K]
// where there is one.
struct Made {
  Definition definition;
  Problem problem;
  ValuePlan plan;
  Inputs inputs;
  bool varied = false;
  std::uint32_t turns = 0;

  void input(const std::string& name, DType dtype, const std::vector<std::string>& shape) {
    definition.inputs[name] = {shape, dtype, {}, {}};
    InputPlan plan{{name, dtype, false, {}}, RandomInput{}};
    for (const std::string& axis : shape) plan.tensor.shape.push_back(*problem.axes.find(axis));
    problem.inputs.push_back(std::move(plan));
  }

  Made(InputSet set, DType dtype, std::uint64_t seed = 1, std::int64_t rows = 36,
       std::uint32_t turn = 0, const std::string& reference = "", bool has_residual = false) {
    definition.reference = reference;
    problem.axes["M"] = rows;
    problem.axes["N"] = 64;
    problem.axes["K"] = 512;
    input("x", dtype, {"M", "K"});
    input("w", dtype, {"N", "K"});
    input("g", dtype, {"K"});
    input("i", DType::int32, {"M"});
    problem.inputs.push_back({{"s", DType::float32, true, {}}, RandomInput{}});
    definition.outputs["y"] = {std::vector<std::string>{"M", "N"}, dtype, {}, {}};
    problem.outputs.push_back({"y", dtype, false, {rows, 64}});
    if (has_residual) input("r", dtype, {"M", "K"});
    plan.resize(problem.inputs.size());
    Diagnostics problems;
    inputs = generate_inputs(problem, plan, {seed, 0, {}, 1, {}}, problems);
    if (set != InputSet::random)
      varied = restructure(definition, problem, plan, {set, seed, 0, turn}, inputs);
    turns = turns_of(definition, problem, plan, set);
  }

  std::vector<double> values(std::size_t i) const {
    const TensorView& tensor = inputs.values[i].tensor;
    std::vector<double> out(element_count(tensor.shape));
    decode(tensor.dtype, tensor.data, 0, std::span(out));
    return out;
  }
  std::vector<double> row(std::size_t i, std::size_t r) const {
    const auto all = values(i);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * 512);
    return {begin, begin + 512};
  }
};

TEST(Structure, ExactSumsFitTheOutputsDtype) {
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16}) {
    const Made made(InputSet::exact, dtype);
    ASSERT_TRUE(made.varied);
    for (std::size_t m = 0; m < 36; ++m) {
      const auto x = made.row(0, m);
      for (std::size_t n = 0; n < 64; ++n) {
        const auto w = made.row(1, n);
        double sum = 0;
        for (std::size_t k = 0; k < 512; ++k) {
          EXPECT_EQ(x[k], std::trunc(x[k]));
          sum += std::fabs(x[k] * w[k]);
        }
        EXPECT_LE(sum, 1 / unit_roundoff(dtype)) << info(dtype).name;
      }
    }
    // Every product of the smaller tensor counts.
    const auto x = made.values(0);
    EXPECT_EQ(std::count(x.begin(), x.end(), 0.0), 0);
  }
}

TEST(Structure, IndicesAndScalarsStay) {
  for (const InputSet set : {InputSet::exact, InputSet::mixed, InputSet::special}) {
    const Made made(set, DType::bfloat16), random(InputSet::random, DType::bfloat16);
    EXPECT_EQ(made.values(3), random.values(3));
    EXPECT_EQ(made.inputs.values[4].scalar, random.inputs.values[4].scalar);
    EXPECT_EQ(made.inputs.values[3].origin, random.inputs.values[3].origin);
    EXPECT_NE(made.inputs.values[0].origin, random.inputs.values[0].origin);
  }
}

// Which kind a row is of, by what is to be seen of it.
std::string kind(const std::vector<double>& row, const std::vector<double>& plain) {
  const auto all = [&](auto&& is) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!is(row[k], plain[k], k)) return false;
    }
    return true;
  };
  if (row == plain) return "plain";
  if (all([](double x, double, std::size_t) { return x == 0; })) return "zero";
  if (all([](double x, double p, std::size_t) { return x == p * 1024; })) return "up";
  if (all([](double x, double p, std::size_t) { return x == p / 1024; })) return "down";
  if (all([&](double x, double, std::size_t k) { return k % 2 == 0 || x == -row[k - 1]; }))
    return "pairs";
  for (const auto& [name, offset] : {std::pair("above", 8.0), std::pair("below", -8.0)})
    if (all([&](double x, double p, std::size_t) { return std::fabs(x - p - offset) < 0.1; }))
      return name;
  if (all([](double x, double p, std::size_t k) {
        const double mean = (k < 256 ? 4 : -4) + (k % 2 == 0 ? 2 : -2);
        return std::fabs(x - p - mean) < 0.1;
      }))
    return "steps";
  if (all([](double x, double, std::size_t) { return std::isfinite(x) && x < -104; }))
    return "far_below";
  if (all([](double x, double, std::size_t) { return std::fabs(x) < 1e-17; })) return "tiny";
  const double infinity = std::numeric_limits<double>::infinity();
  const auto begin = row.begin(), middle = begin + 256, end = row.end();
  const auto masked = std::count(begin, end, -infinity);
  if (masked == 512) return "masked";
  if (masked == 256)
    return std::count(begin, middle, -infinity) == 256 ? "masked_start" : "masked_end";
  if (masked > 0) return std::abs(masked - 439) < 2 ? "masked_some" : "?";
  if (std::count(begin, end, infinity) == 1) return "infinite";
  if (std::count_if(begin, end, [](double x) { return std::isnan(x); }) == 1) return "nan";
  // Equal ones at the ends and at the borders of the last tiles, but for one.
  for (const auto& [name, equal] :
       {std::pair("needles", 12.0), std::pair("peaks", 2.0), std::pair("valleys", -12.0)}) {
    const std::vector<double> edges{row[0], row[447], row[448], row[495], row[496], row[511]};
    if (std::count(edges.begin(), edges.end(), equal) == 5 &&
        std::count(edges.begin(), edges.end(), equal + std::copysign(1, equal)) == 1)
      return name;
  }
  return "?";
}

std::map<std::string, int> kinds_of(const Made& made, std::size_t input) {
  const Made random(InputSet::random, made.problem.inputs[input].tensor.dtype);
  std::map<std::string, int> kinds;
  for (std::size_t r = 0; r < 36; ++r) ++kinds[kind(made.row(input, r), random.row(input, r))];
  return kinds;
}

TEST(Structure, MixedRowsAreOfEveryKind) {
  const Made made(InputSet::mixed, DType::float32), random(InputSet::random, DType::float32);
  for (const std::size_t input : {0U, 1U}) {
    EXPECT_EQ(kinds_of(made, input), (std::map<std::string, int>{{"plain", 3},
                                                                 {"peaks", 3},
                                                                 {"valleys", 3},
                                                                 {"needles", 3},
                                                                 {"up", 3},
                                                                 {"down", 3},
                                                                 {"zero", 3},
                                                                 {"pairs", 3},
                                                                 {"above", 3},
                                                                 {"below", 3},
                                                                 {"steps", 3},
                                                                 {"tiny", 3}}));
  }
  EXPECT_EQ(made.values(2), random.values(2));  // of a norm, all rows share it
}

TEST(Structure, SpecialRowsAreInfiniteOrNoNumber) {
  const std::map<std::string, int> wanted{
      {"plain", 9},      {"masked", 3},      {"nan", 3},     {"masked_start", 3},
      {"masked_end", 3}, {"masked_some", 3}, {"infinite", 3}};
  const auto kinds = [](DType dtype, std::size_t input) {
    const Made made(InputSet::special, dtype, 1, 27), random(InputSet::random, dtype, 1, 27);
    std::map<std::string, int> out;
    for (std::size_t r = 0; r < 27; ++r) ++out[kind(made.row(input, r), random.row(input, r))];
    return out;
  };
  EXPECT_EQ(kinds(DType::float32, 0), wanted);
  EXPECT_EQ(kinds(DType::bfloat16, 1), wanted);
  EXPECT_FALSE(Made(InputSet::special, DType::float8_e4m3fn).varied);  // stored data
}

// Where there are few rows, a set goes on where the one before has ended.
TEST(Structure, OverTheTurnsEachKindOfRowComesOnce) {
  const std::string softmax = "def run(x):\n    return torch.softmax(x, -1)\n";
  const std::set<std::string> lone{"needles", "peaks", "valleys", "up",    "down", "zero",
                                   "pairs",   "above", "below",   "steps", "tiny", "far_below"};
  for (const std::int64_t rows : {1, 4, 5, 13, 40}) {
    const std::uint32_t turns = Made(InputSet::mixed, DType::float32, 1, rows, 0, softmax).turns;
    EXPECT_EQ(turns, rows == 1 ? 12U : static_cast<std::uint32_t>((13 + rows - 1) / rows));
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      std::set<std::string> kinds;
      for (std::uint32_t turn = 0; turn < turns; ++turn) {
        const Made made(InputSet::mixed, DType::float32, seed, rows, turn, softmax);
        const Made random(InputSet::random, DType::float32, seed, rows);
        for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r)
          kinds.insert(kind(made.row(0, r), random.row(0, r)));
      }
      kinds.erase("plain");
      EXPECT_EQ(kinds, lone) << rows << " rows, seed " << seed;
    }
  }
}

// What is added to them is of the same kind in every second run: a norm sees small rows then.
TEST(Structure, RowsThatMayBeAddedFallTogether) {
  const auto made = [](std::int64_t rows, std::uint32_t turn) {
    return Made(InputSet::mixed, DType::float32, 1, rows, turn, "", true);
  };
  EXPECT_EQ(made(8, 0).turns, 3U);  // 24 rows
  const auto together = [&](std::int64_t rows, std::uint32_t turn, std::size_t first) {
    const Made both = made(rows, turn);
    const Made random(InputSet::random, DType::float32, 1, rows, 0, "", true);
    int count = 0;
    for (std::size_t r = first; r < first + 12; ++r)
      count += kind(both.row(0, r), random.row(0, r)) == kind(both.row(5, r), random.row(5, r));
    return count;
  };
  EXPECT_LT(together(24, 0, 0), 12);
  EXPECT_EQ(together(24, 0, 12), 12);
  EXPECT_EQ(together(12, 1, 0), 12);
}

TEST(Structure, RowsFarBelowAreOfExponentialsWithoutVariances) {
  const auto turns = [](const std::string& body) {
    return Made(InputSet::mixed, DType::float32, 1, 1, 0, "def run(x):\n    return " + body + "\n")
        .turns;
  };
  EXPECT_EQ(turns("torch.softmax(x, -1)"), 12U);
  EXPECT_EQ(turns("torch.exp(x)"), 12U);
  EXPECT_EQ(turns("torch.softmax(x - x.mean(-1), -1)"), 11U);
  EXPECT_EQ(turns("F.layer_norm(x, (512,))"), 11U);
}

// The greatest are side by side from a border of tiles on, or at one distance, in all rows alike.
TEST(Structure, ClustersAreOfAsManyAsAreChosen) {
  const std::string topk = "def run(x):\n    return torch.topk(x, 64)\n";
  const Made made(InputSet::clustered, DType::float32, 1, 6, 0, topk);
  ASSERT_TRUE(made.varied);
  std::set<std::size_t> distances;
  std::map<std::size_t, std::set<std::size_t>> firsts;
  for (std::size_t r = 0; r < 6; ++r) {
    const auto row = made.row(0, r);
    std::vector<std::size_t> large;
    for (std::size_t k = 0; k < row.size(); ++k)
      if (row[k] > 6.4) large.push_back(k);
    ASSERT_EQ(large.size(), 64U);  // as an output has
    for (std::size_t j = 1; j < 64; ++j) {
      EXPECT_EQ(large[j] - large[j - 1], large[1] - large[0]);
      EXPECT_LT(row[large[j]], row[large[j - 1]]);
    }
    distances.insert(large[1] - large[0]);
    firsts[large[1] - large[0]].insert(large[0]);
  }
  EXPECT_EQ(distances, (std::set<std::size_t>{1, 8}));
  EXPECT_EQ(firsts[1].size(), 1U);
  EXPECT_EQ(*firsts[1].begin() % 64, 0U);
  EXPECT_FALSE(Made(InputSet::clustered, DType::float32).varied);
}

TEST(Structure, GatesOfRecurrencesAreShifted) {
  const std::string loop =
      "def run(x, g):\n    h = x[0]\n    for t in range(33):\n"
      "        h = torch.sigmoid(x[t]) * h + 1\n    return h\n";
  const Made made(InputSet::keeping, DType::float32, 1, 33, 0, loop);
  const Made random(InputSet::random, DType::float32);
  ASSERT_TRUE(made.varied);
  const auto x = made.values(0), before = random.values(0);
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k] - before[k], std::log(64), 1e-5);
  EXPECT_EQ(made.values(1), random.values(1));
  EXPECT_FALSE(Made(InputSet::keeping, DType::float32).varied);
}

TEST(Structure, ALoneRowIsOfAnotherKindByTheSeed) {
  std::set<std::string> kinds;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Made made(InputSet::mixed, DType::float32, seed, 1);
    const Made random(InputSet::random, DType::float32, seed, 1);
    kinds.insert(kind(made.row(0, 0), random.row(0, 0)));
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"needles", "peaks", "valleys", "up", "down", "zero",
                                          "pairs", "above", "below", "steps", "tiny"}));
}

TEST(Structure, TheSameSeedGivesTheSameBits) {
  const Made a(InputSet::mixed, DType::float16), b(InputSet::mixed, DType::float16);
  const Made c(InputSet::mixed, DType::float16, 2);
  EXPECT_EQ(a.values(0), b.values(0));
  EXPECT_NE(a.values(0), c.values(0));
}

}  // namespace
}  // namespace kbench
