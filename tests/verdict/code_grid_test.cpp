// Numbers of narrow dtypes, and how many of an output's codes may be others.
#include "verdict/code_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "problem/element.hpp"
#include "schema/dtype.hpp"
#include "verdict/within_tolerance.hpp"

namespace kbench {
namespace {

CodeGrid grid_of(DType dtype) {
  return {unit_roundoff(dtype), info(dtype).smallest, info(dtype).largest};
}

// Returns all finite numbers of a dtype of 8 bits, the two zeros as one.
std::vector<double> numbers_of(DType dtype) {
  std::array<std::byte, 256> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  std::vector<double> out;
  for (const double value : decoded({dtype, {256}, bytes.data(), bytes.size()}))
    if (std::isfinite(value)) out.push_back(value);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

TEST(CodeGrid, RoundsToTheNumbersOfTheDtype) {
  for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2}) {
    const CodeGrid grid = grid_of(dtype);
    const std::vector<double> all = numbers_of(dtype);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const double low = all[i], high = all[i + 1], middle = (low + high) / 2;
      EXPECT_EQ(grid.rounded(low), low);
      EXPECT_EQ(grid.rounded(low + 0.49 * (high - low)), low);
      EXPECT_EQ(grid.rounded(low + 0.51 * (high - low)), high);
      EXPECT_EQ(grid.distance(middle, low), 0);
      EXPECT_EQ(grid.distance(middle, high), 0);
      EXPECT_EQ(grid.between(low, high), 0);
      EXPECT_NEAR(grid.distance(low, high), (high - low) / 2, 1e-12 * std::fabs(high));
      EXPECT_NEAR(grid.to_border(low + 0.4 * (high - low)), 0.1 * (high - low),
                  1e-6 * (high - low));
    }
    EXPECT_EQ(grid.rounded(2 * all.back()), all.back());
    EXPECT_EQ(grid.distance(10 * all.back(), all.back()), 0);
  }
  const CodeGrid four = grid_of(DType::float4_e2m1);
  EXPECT_EQ(four.rounded(2.4), 2);
  EXPECT_EQ(four.rounded(5.1), 6);
  EXPECT_EQ(four.rounded(0.2), 0);
  EXPECT_EQ(four.between(1, 2), 0.5);  // 1.5 lies there
}

// Makers of e4m3 codes of normal numbers, in rows of 256.
struct Coded {
  static constexpr std::size_t row = 256;
  std::vector<double> answer, condition;
  KScale scale{.u_out = 0x1p-4,
               .u_int = 0x1p-8,
               .half_smallest = 0x1p-10,
               .largest = 448,
               .is_narrow = true};
  std::mt19937_64 random{11};
  CodeGrid grid = grid_of(DType::float8_e4m3fn);

  double cut_off(double r) const {
    const double code = grid.rounded(r), size = std::fabs(code);
    return size > std::fabs(r) ? std::copysign(size - grid.step(std::nextafter(size, 0.0)), r)
                               : code;
  }
  explicit Coded(std::size_t rows) : condition(rows * row) {
    std::normal_distribution<double> normal(0, 10);
    for (std::size_t i = 0; i < rows * row; ++i) answer.push_back(normal(random));
    for (std::size_t i = 0; i < condition.size(); ++i) condition[i] = std::fabs(answer[i]);
  }
  template <typename Change>
  bool accepts(const Change& change) {
    std::vector<float> codes;
    for (std::size_t i = 0; i < answer.size(); ++i)
      codes.push_back(static_cast<float>(change(i, answer[i])));
    const auto rows = static_cast<std::int64_t>(answer.size() / row);
    const ErrorTolerance error_tolerance({answer, condition, 48}, {rows, row}, scale);
    const TensorView output{DType::float32,
                            {rows, row},
                            reinterpret_cast<const std::byte*>(codes.data()),
                            codes.size() * sizeof(float)};
    return k_statistic(output, error_tolerance).accepts();
  }
};

// Roundings to bfloat16 on the way are each element's own, each row's, and one for all.
TEST(CodeShare, HonestIntermediatesAreRight) {
  constexpr double u = 0x1p-8;
  for (const std::size_t rows : {1, 4, 32, 256}) {
    for (int seed = 0; seed < 10; ++seed) {
      Coded coded(rows);
      coded.random.seed(static_cast<std::uint64_t>(seed));
      std::uniform_real_distribution<double> rounding(-u, u);
      const auto& grid = coded.grid;
      EXPECT_TRUE(coded.accepts([&](std::size_t, double r) { return grid.rounded(r); }));
      EXPECT_TRUE(coded.accepts([&](std::size_t, double r) {
        return grid.rounded(r * (1 + rounding(coded.random)) * (1 + rounding(coded.random)));
      }));
      std::vector<double> of_row(rows);
      for (double& e : of_row) e = rounding(coded.random);
      EXPECT_TRUE(coded.accepts([&](std::size_t i, double r) {
        return grid.rounded(r * (1 + of_row[i / Coded::row]));
      })) << rows;
      EXPECT_TRUE(coded.accepts([&](std::size_t, double r) {
        return grid.rounded(r * (1 + of_row[0]) * (1 + rounding(coded.random)));
      })) << rows
          << " " << of_row[0];
    }
  }
}

TEST(CodeShare, WrongCodesAreNot) {
  for (const std::size_t rows : {4, 32, 256}) {
    Coded coded(rows);
    const auto& grid = coded.grid;
    EXPECT_FALSE(coded.accepts([&](std::size_t, double r) { return coded.cut_off(r); }));
    const CodeGrid coarse{0x1p-3, 0x1p-8, 448};
    EXPECT_FALSE(coded.accepts([&](std::size_t, double r) { return coarse.rounded(r); }));
    EXPECT_FALSE(coded.accepts([&](std::size_t, double r) { return grid.rounded(1.02 * r); }));
    EXPECT_FALSE(coded.accepts([&](std::size_t, double r) { return grid.rounded(0.98 * r); }));
  }
  Coded tiny(32);
  for (double& r : tiny.answer) r *= 0x1p-9;
  for (double& m : tiny.condition) m *= 0x1p-9;
  EXPECT_FALSE(tiny.accepts([&](std::size_t, double r) {
    const double code = tiny.grid.rounded(r);
    return std::fabs(code) < 0x1p-6 ? 0 : code;
  }));
}

// The reference rounds to bfloat16 where the rule allows float32 alone.
TEST(CodeShare, AReferencesOwnRoundingIsNoLicence) {
  constexpr std::size_t rows = 64;
  Coded coded(rows);
  coded.scale.u_int = 0x1p-24;
  std::uniform_real_distribution<double> rounding(-0x1p-8, 0x1p-8);
  const auto& grid = coded.grid;
  const auto rounds = [&](double r) { return grid.rounded(r * (1 + rounding(coded.random))); };
  std::vector<float> native;
  for (const double r : coded.answer) native.push_back(static_cast<float>(rounds(r)));
  const TensorView own{DType::float32,
                       {rows, Coded::row},
                       reinterpret_cast<const std::byte*>(native.data()),
                       native.size() * sizeof(float)};
  const ErrorTolerance error_tolerance({coded.answer, coded.condition, 48}, own, coded.scale);
  const auto accepts = [&](const auto& change) {
    std::vector<float> codes;
    for (const double r : coded.answer) codes.push_back(static_cast<float>(change(r)));
    const TensorView output{DType::float32, own.shape,
                            reinterpret_cast<const std::byte*>(codes.data()), own.bytes};
    return k_statistic(output, error_tolerance).accepts();
  };
  EXPECT_TRUE(k_statistic(own, error_tolerance).accepts());
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(accepts(rounds));
  EXPECT_TRUE(accepts([&](double r) { return grid.rounded(r); }));
  EXPECT_FALSE(accepts([&](double r) { return grid.rounded(1.02 * r); }));
  EXPECT_FALSE(accepts([&](double r) { return coded.cut_off(r); }));
}

}  // namespace
}  // namespace kbench
