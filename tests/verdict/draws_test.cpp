// Samplers: right ones are kept at the stated error rate, those that public systems pass are not.
#include "verdict/draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace kbench {
namespace {

TEST(ChiSquare, KnownTails) {
  // Closed forms: with 2 degrees exp(-x/2), with 4 exp(-x/2)(1 + x/2), with 1 erfc(sqrt(x/2)).
  for (const double x : {0.1, 1.0, 3.0, 10.0, 60.0, 300.0}) {
    EXPECT_NEAR(chi_square_tail(x, 2) / std::exp(-x / 2), 1, 1e-11) << x;
    EXPECT_NEAR(chi_square_tail(x, 4) / (std::exp(-x / 2) * (1 + x / 2)), 1, 1e-11) << x;
    EXPECT_NEAR(chi_square_tail(x, 1) / std::erfc(std::sqrt(x / 2)), 1, 1e-11) << x;
  }
}

constexpr std::size_t options = 5000, rows = 4;

// Softmax of normal numbers, the same for every test.
std::vector<double> weights() {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> out(rows * options);
  for (double& w : out) w = std::exp(1.5 * normal(random));
  return out;
}

using Sampler = std::function<std::int64_t(std::size_t row, std::mt19937_64&)>;

struct Draws : testing::Test {
  std::vector<double> scores = weights();
  const std::vector<double> condition = std::vector<double>(rows * options, 0);
  const std::vector<ChoiceRow> choice_rows =
      std::vector<ChoiceRow>(rows, ChoiceRow{ChoiceKind::drawn, PickOrder::none, 1, options, 0});
  const std::vector<std::int64_t> slots{0, 1, 2, 3};

  std::vector<double> row(std::size_t i) const {
    return {scores.begin() + static_cast<std::ptrdiff_t>(i * options),
            scores.begin() + static_cast<std::ptrdiff_t>((i + 1) * options)};
  }
  std::string wrong(const Sampler& sampler, std::size_t calls = 5000,
                    std::uint64_t seed = 1) const {
    const Choice choice{{choice_rows, slots, {}, scores, condition}, 8, {}, false};
    DrawTally tally;
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < calls; ++i) {
      std::vector<std::int64_t> drawn;
      for (std::size_t r = 0; r < rows; ++r) drawn.push_back(sampler(r, random));
      const TensorView output{DType::int64,
                              {rows},
                              reinterpret_cast<const std::byte*>(drawn.data()),
                              drawn.size() * sizeof(std::int64_t)};
      tally.add(output, choice, 0);
    }
    EXPECT_EQ(tally.draws(), calls * rows);
    return tally.wrong();
  }
  // Draws by weights that `change` makes of the right ones.
  Sampler drawing(const std::function<void(std::vector<double>&)>& change) const {
    auto tables = std::make_shared<std::vector<std::discrete_distribution<std::int64_t>>>();
    for (std::size_t r = 0; r < rows; ++r) {
      std::vector<double> mine = row(r);
      change(mine);
      tables->emplace_back(mine.begin(), mine.end());
    }
    return [tables](std::size_t r, std::mt19937_64& random) { return (*tables)[r](random); };
  }
};

TEST_F(Draws, HonestOnesPass) {
  const Sampler honest = drawing([](std::vector<double>&) {});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(wrong(honest, 2000, seed), "");
}

TEST_F(Draws, AnotherTemperatureIsSeen) {
  EXPECT_NE(wrong(drawing([](std::vector<double>& w) {
              for (double& x : w) x = std::pow(x, 1 / 0.87);
            })),
            "");
}

TEST_F(Draws, HalvedTopTokensAreSeen) {
  EXPECT_NE(wrong(drawing([](std::vector<double>& w) {
              std::vector<double> sorted = w;
              std::nth_element(sorted.begin(), sorted.begin() + 5, sorted.end(), std::greater<>());
              const double least = sorted[5];
              for (double& x : w) x = x > least ? x / 2 : x;
            })),
            "");
}

TEST_F(Draws, AMissingPartOfTheVocabularyIsSeen) {
  EXPECT_NE(wrong(drawing([](std::vector<double>& w) {
              std::fill(w.begin() + options / 2, w.begin() + options * 6 / 10, 0);
            })),
            "");
}

TEST_F(Draws, AConstantAndAnArgmaxAreSeen) {
  EXPECT_NE(wrong([](std::size_t, std::mt19937_64&) { return 17; }), "");
  EXPECT_NE(wrong([&](std::size_t r, std::mt19937_64&) {
              const auto mine = row(r);
              return std::max_element(mine.begin(), mine.end()) - mine.begin();
            }),
            "");
}

TEST_F(Draws, RowsThatShareTheirRandomNumberAreSeen) {
  const std::vector<double> first = row(0);
  for (std::size_t r = 1; r < rows; ++r)
    std::copy(first.begin(), first.end(),
              scores.begin() + static_cast<std::ptrdiff_t>(r * options));
  const Sampler honest = drawing([](std::vector<double>&) {});
  std::int64_t shared = 0;
  EXPECT_NE(wrong([&](std::size_t r, std::mt19937_64& random) {
              if (r == 0) shared = honest(0, random);
              return shared;
            }),
            "");
}

TEST_F(Draws, ACallThatRepeatsTheLastIsSeen) {
  const Sampler honest = drawing([](std::vector<double>&) {});
  std::vector<std::int64_t> last(rows);
  std::size_t count = 0;
  EXPECT_NE(wrong([&](std::size_t r, std::mt19937_64& random) {
              if (count++ / rows % 2 == 0) last[r] = honest(r, random);
              return last[r];
            }),
            "");
}

TEST_F(Draws, TokensThatAreMaskedAreSeen) {
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = i % options < 100 ? scores[i] : 0;
  const Sampler honest = drawing([](std::vector<double>&) {});
  EXPECT_EQ(wrong(honest), "");
  // Two other tokens now and then; one other as often as the least likely token passes, for a limit
  // may fall between.
  EXPECT_NE(wrong([&](std::size_t r, std::mt19937_64& random) {
              return random() % 500 == 0 ? 200 + static_cast<std::int64_t>(random() % 2)
                                         : honest(r, random);
            }),
            "");
  EXPECT_NE(wrong([&](std::size_t r, std::mt19937_64& random) {
              return random() % 50 == 0 ? 200 : honest(r, random);
            }),
            "");
}

}  // namespace

// Options that are lost together: a lane's, a thread's, a block's.

namespace {

// Returns the exact tail of a binomial: at most, or at least, `seen` hits.
double binomial_tail(int seen, int draws, double p, bool is_below) {
  double sum = 0;
  for (int k = is_below ? 0 : seen; k <= (is_below ? seen : draws); ++k) {
    const double ways = std::lgamma(draws + 1) - std::lgamma(k + 1) - std::lgamma(draws - k + 1);
    sum += std::exp(ways + k * std::log(p) + (draws - k) * std::log1p(-p));
  }
  return sum;
}

TEST(HitsBound, IsAboveTheTailAndNotFarAbove) {
  for (const double p : {0.5, 1.0 / 32, 1.0 / 1024}) {
    const int draws = 4000;
    const double expected = draws * p;
    for (const double part : {0.0, 0.5, 0.8, 1.3, 2.0, 4.0}) {
      const int seen = static_cast<int>(expected * part);
      const double tail = binomial_tail(seen, draws, p, part < 1);
      const double bound = hits_bound(seen, expected, draws);
      EXPECT_GE(bound, tail) << p << " " << part;
      EXPECT_LE(std::log(bound), 0.8 * std::log(tail) + 3) << p << " " << part;
    }
  }
  EXPECT_EQ(hits_bound(100, 100, 100), 1);
  EXPECT_EQ(hits_bound(1, 1e-9, 100), 1);  // one draw of float32's own
}

TEST(Groupings, HaveEachPartitionOnce) {
  for (const std::size_t options : {2, 5, 64, 1000, 4096, 131072}) {
    std::vector<std::vector<std::size_t>> seen;
    for (const Grouping& grouping : groupings_of(options)) {
      std::vector<std::size_t> groups;
      for (std::size_t i = 0; i < std::min<std::size_t>(options, 4096); ++i)
        groups.push_back(grouping.group_of(i));
      if (options <= 4096) {
        EXPECT_EQ(std::count(seen.begin(), seen.end(), groups), 0)
            << options << ": " << grouping.step << " " << grouping.groups;
      }
      seen.push_back(std::move(groups));
    }
    EXPECT_GE(seen.size(), 1U) << options;
    EXPECT_LE(seen.size(), 150U) << options;
  }
}

// A sampler of softmax(1.5·normal numbers) whose weights are changed option by option.
class Sampled {
 public:
  Sampled(std::size_t options, std::size_t rows, std::uint64_t seed)
      : rows_(rows), random_(seed), condition_(options * rows) {
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < options * rows; ++i)
      scores_.push_back(std::exp(1.5 * normal(random_)));
    choice_rows_.assign(
        rows, {ChoiceKind::drawn, PickOrder::none, 1, static_cast<std::int64_t>(options), 0});
    for (std::size_t r = 0; r < rows; ++r) slots_.push_back(static_cast<std::int64_t>(r));
    choice_ = {{choice_rows_, slots_, {}, scores_, condition_}, 8, {}, false};
  }
  using Factor = std::function<double(std::size_t option)>;

  DrawTally draw(std::size_t calls, const Factor& factor) {
    const std::size_t options = scores_.size() / rows_;
    std::vector<std::discrete_distribution<std::int64_t>> tables;
    for (std::size_t r = 0; r < rows_; ++r) {
      std::vector<double> mine;
      for (std::size_t i = 0; i < options; ++i)
        mine.push_back(scores_[r * options + i] * factor(i));
      tables.emplace_back(mine.begin(), mine.end());
    }
    DrawTally tally;
    for (std::size_t call = 0; call < calls; ++call) {
      std::vector<std::int64_t> drawn;
      for (auto& table : tables) drawn.push_back(table(random_));
      const TensorView output{DType::int64,
                              {static_cast<std::int64_t>(rows_)},
                              reinterpret_cast<const std::byte*>(drawn.data()),
                              drawn.size() * sizeof(std::int64_t)};
      tally.add(output, choice_, 0);
    }
    return tally;
  }

 private:
  std::size_t rows_;
  std::mt19937_64 random_;
  std::vector<double> scores_, condition_;
  std::vector<ChoiceRow> choice_rows_;
  std::vector<std::int64_t> slots_;
  Choice choice_;
};

std::string wrong(std::size_t options, std::size_t rows, std::size_t calls,
                  const Sampled::Factor& factor) {
  Sampled sampled(options, rows, 5);
  return sampled.draw(calls, factor).wrong();
}

double honest(std::size_t) { return 1; }

TEST(DrawGroups, LostOnesAreSeen) {
  EXPECT_NE(wrong(131'072, 1, 100, [](std::size_t i) { return i % 2; }), "");
  EXPECT_NE(wrong(131'072, 1, 100, [](std::size_t i) { return i / 4 % 2; }), "");
  EXPECT_NE(wrong(32'768, 1, 1000, [](std::size_t i) { return i % 32 == 17 ? 0 : 1; }), "");
  EXPECT_NE(wrong(32'768, 8, 125, [](std::size_t i) { return i % 32 == 31 ? 0 : 1; }), "");
  EXPECT_NE(wrong(32'768, 1, 1000, [](std::size_t i) { return i / 8 % 32 == 5 ? 0 : 1; }), "");
  EXPECT_NE(wrong(50'257, 1, 16'000, [](std::size_t i) { return i / 197 % 256 == 77 ? 0 : 1; }),
            "");
  EXPECT_NE(wrong(32'000, 4, 4096, [](std::size_t i) { return i % 384 == 383 ? 0 : 1; }), "");
}

TEST(DrawGroups, OnesThatComeHalfAsOftenAreSeen) {
  for (const std::size_t rows : {1, 4}) {
    EXPECT_NE(wrong(4096, rows, 16'384 / rows, [](std::size_t i) { return i % 32 == 3 ? 0.5 : 1; }),
              "");
    EXPECT_NE(wrong(4096, rows, 16'384 / rows, [](std::size_t i) { return i % 2 == 0 ? 0.8 : 1; }),
              "");
  }
}

TEST(DrawGroups, TheCauseSaysWhichTheyAre) {
  const std::string why =
      wrong(32'768, 1, 4000, [](std::size_t i) { return i % 32 == 17 ? 0 : 1; });
  EXPECT_NE(why.find("modulo 32"), std::string::npos) << why;
}

// All tests share one error: of honest samplers no more than a part α fit as badly as α, for the
// parts that can be counted.
TEST(DrawGroups, HonestOnesAreAsRareAsSaid) {
  struct Case {
    std::size_t options, rows, calls;
    int samplers;
  };
  for (const Case& c : {Case{64, 4, 300, 1500}, Case{7, 1, 2000, 1000}, Case{5000, 2, 1500, 300}}) {
    int beyond[3] = {};
    const double parts[] = {0.1, 0.01, 0.001};
    for (int i = 0; i < c.samplers; ++i) {
      Sampled sampled(c.options, c.rows, static_cast<std::uint64_t>(1000 + i));
      const double p = sampled.draw(c.calls, honest).probability();
      for (int k = 0; k < 3; ++k) beyond[k] += p < parts[k] ? 1 : 0;
      EXPECT_GE(p, draw_error_rate) << c.options << " " << i;
    }
    for (int k = 0; k < 3; ++k) {
      const double likely = parts[k] * c.samplers;
      EXPECT_LE(beyond[k], likely + 3 * std::sqrt(likely) + 1) << c.options << " at " << parts[k];
    }
  }
}

}  // namespace

}  // namespace kbench
