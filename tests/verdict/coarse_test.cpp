#include "verdict/coarse.hpp"

#include <gtest/gtest.h>

#include <random>

#include "problem/element.hpp"
#include "verdict/view.hpp"

namespace kbench {
namespace {

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
