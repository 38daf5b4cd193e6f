// Samplers: right ones are kept at the stated error rate, those that public systems pass are not.
#include "verdict/draws.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

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
}  // namespace kbench
