// Options that are lost together: a lane's, a thread's, a block's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "verdict/draws.hpp"

namespace kbench {
namespace {

// The exact tail of a binomial: at most, or at least, `seen` hits.
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
