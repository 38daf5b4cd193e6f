#include <gtest/gtest.h>

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

}  // namespace kbench
