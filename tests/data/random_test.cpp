#include "problem/data/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace kbench {
namespace {

double distribution(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }
double density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * M_PI); }

std::vector<float> normals(std::uint64_t seed, std::size_t count) {
  std::vector<float> values(count);
  standard_normals({seed}, 0, values);
  return values;
}

float quantile_of_word(std::uint32_t word) {
  float value = 0;
  normal_quantiles(std::span(&word, 1), std::span(&value, 1));
  return value;
}

// Error in z of the quantile of a word, by one Newton step from the true distribution function, as
// a part of z, or of 1 near the median.
double error_of(std::uint32_t word) {
  const double z = std::abs(quantile_of_word(word));
  const double tail = (static_cast<double>(word & 0x7fffffffU) + 0.5) / 0x1p32;
  return std::abs((distribution(-z) - tail) / density(z)) / std::max(z, 1.0);
}

TEST(Normal, QuantilesAreRight) {
  double worst = 0;
  for (std::uint64_t word = 0; word < 0x100000000; word += 65521) {
    worst = std::max(worst, error_of(static_cast<std::uint32_t>(word)));
  }
  for (std::uint32_t word = 0; word < 5000; ++word) worst = std::max(worst, error_of(word));
  EXPECT_LT(worst, 5e-7);
}

TEST(Normal, IsSymmetricAndMonotonous) {
  for (std::uint32_t word = 0; word < 0x80000000U - 70001; word += 70001) {
    EXPECT_EQ(quantile_of_word(word), -quantile_of_word(word | 0x80000000U));
    EXPECT_GE(quantile_of_word(word), quantile_of_word(word + 70001));
  }
}

TEST(Normal, EndsOfTheRange) {
  EXPECT_NEAR(quantile_of_word(0), 6.3379, 1e-3);  // of 2^-33
  EXPECT_NEAR(quantile_of_word(0x80000000U), -6.3379, 1e-3);
  EXPECT_GT(quantile_of_word(0x7fffffffU), 0);  // next to the median, and not 0
  EXPECT_LT(quantile_of_word(0x7fffffffU), 1e-9);
}

TEST(Normal, TheTwoApproximationsMeet) {
  const auto seam = static_cast<std::uint32_t>((0.5 - 0.425) * 0x1p32);
  for (std::uint32_t word = seam - 2000; word < seam + 2000; ++word) {
    EXPECT_LT(error_of(word), 5e-7);
  }
}

TEST(Normal, Moments) {
  const std::size_t count = 1 << 22;
  double sum = 0, square = 0, cube = 0, fourth = 0;
  for (const double z : normals(1, count)) {
    sum += z;
    square += z * z;
    cube += z * z * z;
    fourth += z * z * z * z;
  }
  const double n = static_cast<double>(count);
  const double five = 5 / std::sqrt(n);  // five standard errors, times the standard deviations
  EXPECT_NEAR(sum / n, 0, five);
  EXPECT_NEAR(square / n, 1, five * std::sqrt(2));
  EXPECT_NEAR(cube / n, 0, five * std::sqrt(15));
  EXPECT_NEAR(fourth / n, 3, five * std::sqrt(96));
}

TEST(Normal, KolmogorovSmirnov) {
  auto values = normals(2, 1 << 20);
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = distribution(values[i]);
    distance = std::max({distance, expected - static_cast<double>(i) / n,
                         static_cast<double>(i + 1) / n - expected});
  }
  EXPECT_LT(distance * std::sqrt(n), 1.95);  // significance 0.001
}

TEST(Normal, ChiSquareOfCellsAndOfNeighbours) {
  constexpr std::size_t cells = 32;
  const auto values = normals(3, 1 << 20);
  const auto cell = [](float z) {
    return std::min(cells - 1, static_cast<std::size_t>(distribution(z) * cells));
  };
  std::vector<double> single(cells), pairs(cells * cells);
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
    ++single[cell(values[i])];
    ++pairs[cell(values[i]) * cells + cell(values[i + 1])];
  }
  const auto statistic = [&](const std::vector<double>& counts) {
    const double expected =
        static_cast<double>(values.size() / 2) / static_cast<double>(counts.size());
    double sum = 0;
    for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
    return sum;
  };
  EXPECT_LT(statistic(single), 61.1);   // 31 degrees of freedom, significance 0.001
  EXPECT_LT(statistic(pairs), 1168.5);  // 1023 degrees of freedom, significance 0.001
}

TEST(Normal, PartsAreTheWhole) {
  const auto whole = normals(5, 5000);
  for (const std::size_t first : {0, 64, 1024, 4992}) {
    std::vector<float> part(std::min<std::size_t>(1500, whole.size() - first));
    standard_normals({5}, first, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(first)));
  }
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;)
    text.push_back(static_cast<char>(c));
  return pipe != nullptr && pclose(pipe) == 0 ? text : "failed: " + command;
}

// Compiles one program plain, as vector code for this machine and as vector code for any x86-64.
// Its output is also the golden one: whoever changes it changes every seed's inputs.
TEST(Normal, TheBitsDoNotDependOnTheCompilersOptions) {
  const std::string source = KBENCH_SOURCE_DIR;
  const std::string program = testing::TempDir() + "kbench_checksum_" + std::to_string(std::rand());
  const std::string files =
      source + "/tests/data/checksum_program.cpp " + source + "/src/problem/data/random.cpp";
  const std::string golden =
      "words ee52fb7c15cbb701\nnormals eb08540566ccfb2b\nsoftmax 6fbfdbe561b5e4e8\n";
  const std::string fast = "-O3 -fno-trapping-math -fno-math-errno";
  for (const std::string& options : {std::string("-O0"), fast, fast + " -DKBENCH_NO_CLONES"}) {
    const std::string build = "c++ -std=c++20 -ffp-contract=off " + options + " -I" + source +
                              "/src " + files + " -o " + program;
    ASSERT_EQ(std::system(build.c_str()), 0) << build;
    EXPECT_EQ(output_of(program), golden) << options;
  }
  std::filesystem::remove(program);
}

TEST(Softmax, ExponentialIsRight) {
  for (double x = 0; x > -700; x -= 0.37) {
    EXPECT_LE(std::abs(exponential(x) - std::exp(x)),
              2 * std::numeric_limits<double>::epsilon() * std::exp(x))
        << x;
  }
  EXPECT_EQ(exponential(0), 1);
  EXPECT_EQ(exponential(-701), 0);
  EXPECT_EQ(exponential(-INFINITY), 0);
}

TEST(Softmax, IsADistribution) {
  std::vector<double> row = {1, 2, 3, -1000};
  softmax(row);
  EXPECT_NEAR(row[0], 0.09003057317038046, 1e-16);
  EXPECT_NEAR(row[1], 0.24472847105479767, 1e-16);
  EXPECT_NEAR(row[2], 0.66524095577482178, 2e-16);
  EXPECT_EQ(row[3], 0);
  std::vector<double> none;
  softmax(none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace kbench
