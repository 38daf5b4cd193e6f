// Results that are all too large or too small by one factor are told from rounded ones.
#include "verdict/bias.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "problem/element.hpp"
#include "verdict/view.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

// Program's result from the answer `r` at a row and a column.
using Program = std::function<double(double r, std::size_t row, std::size_t column)>;

struct Factors : testing::TestWithParam<DType> {
  const DType dtype = GetParam();
  const double u = unit_roundoff(dtype);
  std::mt19937_64 random{7};
  std::vector<double> answer;

  void normals(std::size_t count) {
    std::normal_distribution<double> normal;
    answer.resize(count);
    for (double& r : answer) r = normal(random);
  }
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(random); }

  KStatistic found(std::size_t rows, const Program& program, double u_int) {
    const std::size_t row = answer.size() / rows;
    std::vector<double> made, condition;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      made.push_back(program(answer[i], i / row, i % row));
      condition.push_back(1.4 * std::fabs(answer[i]));
    }
    std::vector<std::byte> bytes(storage_bytes(dtype, made.size()));
    encode(dtype, std::span<const double>(made), bytes.data(), 0);
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows),
                                          static_cast<std::int64_t>(row)};
    const KScale scale{.u_out = u,
                       .u_int = u_int,
                       .half_smallest = info(dtype).smallest / 2,
                       .largest = info(dtype).largest,
                       .looks_for_bias = true};
    const ErrorTolerance error_tolerance({answer, condition, 48}, shape, scale);
    return k_statistic({dtype, shape, bytes.data(), bytes.size()}, error_tolerance);
  }
};

TEST_P(Factors, HonestOnesAreNotBiased) {
  for (const std::size_t rows : {1, 2, 3, 4, 8, 64}) {
    for (int seed = 0; seed < 50; ++seed) {
      random.seed(static_cast<std::uint64_t>(seed));
      normals(rows * 512);
      const double constant = 1 + u * uniform();
      std::vector<double> of_rows;
      for (std::size_t i = 0; i < rows; ++i) of_rows.push_back(1 + u * uniform());
      const std::vector<std::pair<const char*, Program>> programs{
          {"rounded", [](double r, auto, auto) { return r; }},
          {"rounded twice", [&](double r, auto, auto) { return stored(dtype, 0.7 * r) / 0.7; }},
          {"a constant is rounded", [&](double r, auto, auto) { return constant * r; }},
          {"each row's divisor is rounded",
           [&](double r, std::size_t row, auto) { return of_rows[row] * r; }},
          {"both are", [&](double r, std::size_t row, auto) {
             return stored(dtype, of_rows[row] * constant * r);
           }}};
      for (const auto& [name, program] : programs) {
        const KStatistic statistic = found(rows, program, u);
        EXPECT_FALSE(statistic.is_biased())
            << name << " rows " << rows << " seed " << seed << ": " << statistic.bias.part / u
            << " u, limit " << statistic.bias.limit / u << " u";
      }
    }
  }
}

TEST_P(Factors, AFactorIsSeenThatNoElementShows) {
  normals(8 * 2880);
  for (const double off : {1.3, -1.3, 2.0}) {
    const KStatistic statistic = found(
        8, [&](double r, auto, auto) { return (1 + off * u) * r; }, u);
    EXPECT_EQ(statistic.misses, 0U);
    EXPECT_FALSE(statistic.bias.accepts()) << off << ": " << statistic.bias.part / u;
    EXPECT_NEAR(statistic.bias.part, off * u, 0.05 * u);
  }
}

// A product alone has no intermediates that are rounded: a tenth of a roundoff is seen.
TEST_P(Factors, WithoutIntermediatesLittleIsAFault) {
  normals(8 * 2880);
  EXPECT_FALSE(found(
                   8, [&](double r, auto, auto) { return (1 + 0.1 * u) * r; }, 0x1p-24)
                   .bias.accepts());
  EXPECT_FALSE(found(
                   8, [](double r, auto, auto) { return r; }, 0x1p-24)
                   .is_biased());
}

TEST_P(Factors, OneRowOrColumnIsSeen) {
  normals(16 * 256);
  const auto in_row = found(
      16, [&](double r, std::size_t row, auto) { return row == 5 ? (1 + 4 * u) * r : r; }, u);
  ASSERT_TRUE(in_row.biased_slice);
  EXPECT_FALSE(in_row.biased_slice->bias.accepts());
  EXPECT_EQ(in_row.biased_slice->axis, 0U);
  EXPECT_EQ(in_row.biased_slice->index, 5);
  const auto in_column = found(
      16, [&](double r, auto, std::size_t column) { return column == 7 ? (1 - 5 * u) * r : r; }, u);
  ASSERT_TRUE(in_column.biased_slice);
  EXPECT_FALSE(in_column.biased_slice->bias.accepts());
  EXPECT_EQ(in_column.biased_slice->axis, 1U);
  EXPECT_EQ(in_column.biased_slice->index, 7);
}

INSTANTIATE_TEST_SUITE_P(Bias, Factors, testing::Values(DType::bfloat16, DType::float16));

// Three sets of few elements tell together what none tells alone.
TEST(BiasTally, AddsUp) {
  BiasTally one;
  one.roundoff = 0x1p-8;
  for (int i = 0; i < 30; ++i) {
    const double error = 0.007 + (i % 2 == 0 ? 0.004 : -0.004);
    one.add_row({error * 1e5, 1e5, 1e5});
  }
  BiasTally sum = one;
  for (int i = 0; i < 20; ++i) sum.add(one);
  EXPECT_NEAR(bias_of(sum).part, bias_of(one).part, 1e-12);
  EXPECT_LT(bias_of(sum).limit, bias_of(one).limit);
  EXPECT_TRUE(bias_of(BiasTally{}).accepts());
}

}  // namespace
}  // namespace kbench
