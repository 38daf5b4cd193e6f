#include "verdict/rules.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "problem/element.hpp"
#include "verdict/cut_off.hpp"
#include "verdict/verdict.hpp"
#include "verdict/view.hpp"

namespace kbench {
namespace {

struct Named {
  Named(std::string name, float value) : bytes(4) {
    encode(DType::float32, std::span<const float>(&value, 1), bytes.data(), 0);
    tensor = {std::move(name), {DType::float32, {1}, bytes.data(), 4}};
  }
  std::vector<std::byte> bytes;
  NamedTensor tensor;
};

std::optional<Verdict> judge(const std::vector<NamedTensor>& outputs,
                             const std::vector<NamedTensor>& reference, Diagnostics& diagnostics) {
  return judge_by_name(*find_rule("flashinfer-bench"), {"d", "op", {}}, outputs, reference,
                       diagnostics);
}

TEST(JudgeByName, OrderDoesNotMatter) {
  const Named a("a", 1), b("b", 2);
  Diagnostics diagnostics;
  const auto verdict = judge({b.tensor, a.tensor}, {a.tensor, b.tensor}, diagnostics);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->status, Status::passed);
}

TEST(JudgeByName, TheDetailHasTheName) {
  const Named a("a", 1), b("b", 2), wrong("b", 3);
  Diagnostics diagnostics;
  const auto verdict = judge({wrong.tensor, a.tensor}, {a.tensor, b.tensor}, diagnostics);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->status, Status::incorrect_numerical);
  EXPECT_EQ(verdict->detail,
            "output \"b\": 1 of 1 elements are beyond atol 0.01 and rtol 0.01; worst at [0]: 3, "
            "reference 2");
}

TEST(JudgeByName, MissingAndSurplusNamesAreReported) {
  const Named a("a", 1), b("b", 2), c("c", 2);
  Diagnostics diagnostics;
  EXPECT_FALSE(judge({a.tensor, c.tensor}, {a.tensor, b.tensor}, diagnostics).has_value());
  ASSERT_EQ(diagnostics.errors(), 2U);
  EXPECT_EQ(diagnostics.items()[0].message, "the outputs lack 'b', which the reference has");
  EXPECT_EQ(diagnostics.items()[1].message, "the reference lacks 'c', which the outputs have");
}

TEST(JudgeByName, NothingAgainstNothingPasses) {
  Diagnostics diagnostics;
  EXPECT_EQ(judge({}, {}, diagnostics)->status, Status::passed);
}

std::vector<float> normals(std::size_t count) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> out(count);
  for (float& x : out) x = normal(random);
  return out;
}

std::vector<float> as_stored(DType dtype, const std::vector<float>& values) {
  std::vector<std::byte> bytes(storage_bytes(dtype, values.size()));
  encode(dtype, std::span<const float>(values), bytes.data(), 0);
  std::vector<float> out(values.size());
  decode(dtype, bytes.data(), 0, std::span(out));
  return out;
}

TEST(RoundedTo, NamesTheDtype) {
  const std::vector<float> native = normals(3000);
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    const std::vector<float> output = as_stored(dtype, native);
    EXPECT_EQ(rounded_to(view(output), view(native)), dtype);
  }
  EXPECT_EQ(rounded_to(view(native), view(native)), std::nullopt);
}

// The reference has such numbers itself, or nobody can tell.
TEST(RoundedTo, IsNoFaultWhereTheAnswerIsCoarseOrElementsAreFew) {
  const std::vector<float> coarse = as_stored(DType::bfloat16, normals(3000));
  EXPECT_EQ(rounded_to(view(coarse), view(coarse)), std::nullopt);
  const std::vector<float> few = normals(7);
  const std::vector<float> few_coarse = as_stored(DType::bfloat16, few);
  EXPECT_EQ(rounded_to(view(few_coarse), view(few)), std::nullopt);
}

TEST(RoundedTo, AFewRoundedOnesAreNone) {
  const std::vector<float> native = normals(1000);
  std::vector<float> output = as_stored(DType::bfloat16, native);
  std::copy(native.begin(), native.begin() + 500, output.begin());
  EXPECT_EQ(rounded_to(view(output), view(native)), std::nullopt);
}

}  // namespace

namespace {

std::string where(std::int64_t rows, std::int64_t columns,
                  const std::function<bool(std::int64_t, std::int64_t)>& is_missed) {
  std::vector<bool> missed;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < columns; ++k) missed.push_back(is_missed(i, k));
  }
  return misses_text(missed, {rows, columns});
}

TEST(Misses, SayWhatTheirPlacesHaveInCommon) {
  EXPECT_EQ(where(4, 4, [](auto, auto) { return true; }), "");
  EXPECT_EQ(where(4, 4, [](auto i, auto) { return i == 2; }), "all at index 2 of axis 0");
  EXPECT_EQ(where(4, 64, [](auto, auto k) { return k >= 48; }), "all in the last 16 of axis 1");
  EXPECT_EQ(where(64, 4, [](auto i, auto) { return i < 3; }), "all in the first 3 of axis 0");
  EXPECT_EQ(where(64, 4, [](auto i, auto) { return i == 20 || i == 21; }),
            "all at 20 to 21 of axis 0");
  EXPECT_EQ(where(100, 4, [](auto i, auto) { return i % 20 == 19; }),
            "at every 20th index of axis 0, from 19 on");
  EXPECT_EQ(where(8, 64, [](auto i, auto k) { return i == 7 && k >= 63; }),
            "all at index 7 of axis 0, all at index 63 of axis 1");
  EXPECT_EQ(where(8, 64, [](auto i, auto k) { return (i * 7 + k * 13) % 10 < 4; }), "");
}

TEST(Misses, OfAScalar) { EXPECT_EQ(misses_text({true}, {}), ""); }

using Lines = std::vector<std::string>;

TEST(ErrorMap, HasTheLastAxisFromLeftToRightAndTheOthersFromTopToBottom) {
  std::vector<bool> missed(2 * 2 * 3);
  missed[0 * 6 + 1 * 3 + 2] = true;  // [0, 1, 2]
  missed[1 * 6 + 0 * 3 + 0] = true;  // [1, 0, 0]
  const ErrorMap map = error_map("y", missed, {2, 2, 3});
  EXPECT_EQ(map.output, "y");
  EXPECT_EQ(map.shape, (std::vector<std::int64_t>{2, 2, 3}));
  EXPECT_EQ(map.rows, (Lines{"...", "..#", "#..", "..."}));
}

TEST(ErrorMap, OfAScalarAndOfOneAxisIsOneLine) {
  EXPECT_EQ(error_map("y", {true}, {}).rows, Lines{"#"});
  EXPECT_EQ(error_map("y", {false, true, false}, {3}).rows, Lines{".#."});
  EXPECT_TRUE(error_map("y", {}, {4, 0}).rows.empty());
}

TEST(ErrorMap, SaysWhichShareOfACharacterIsWrong) {
  std::vector<bool> missed(640);  // ten elements a character
  for (const std::size_t wrong : {0, 1, 5, 9, 10}) {
    for (std::size_t i = 0; i < 10; ++i) missed[i] = i < wrong;
    const ErrorMap map = error_map("y", missed, {640});
    ASSERT_EQ(map.rows.size(), 1U);
    ASSERT_EQ(map.rows[0].size(), 64U);
    EXPECT_EQ(map.rows[0][0], wrong == 0    ? '.'
                              : wrong == 10 ? '#'
                                            : static_cast<char>('0' + wrong));
    EXPECT_EQ(map.rows[0].substr(1), std::string(63, '.'));
  }
}

// Every element is in one character, and none of these is left out.
TEST(ErrorMap, ShowsASingleWrongElementWhereverItLies) {
  constexpr std::size_t height = 101, width = 131;
  for (std::size_t at = 0; at < height * width; at += 17) {
    std::vector<bool> missed(height * width);
    missed[at] = true;
    const ErrorMap map = error_map("y", missed, {101, 131});
    ASSERT_EQ(map.rows.size(), 32U);
    std::size_t found = 0;
    for (std::size_t line = 0; line < map.rows.size(); ++line) {
      ASSERT_EQ(map.rows[line].size(), 64U);
      for (std::size_t column = 0; column < 64; ++column) {
        if (map.rows[line][column] == '.') continue;
        ++found;
        EXPECT_NEAR(static_cast<double>(line) / 32, static_cast<double>(at / width) / height, 0.04);
        EXPECT_NEAR(static_cast<double>(column) / 64, static_cast<double>(at % width) / width,
                    0.02);
      }
    }
    EXPECT_EQ(found, 1U) << at;
  }
}

}  // namespace
}  // namespace kbench
