#include <gtest/gtest.h>

#include <algorithm>

#include "exec/poisoned_outputs.hpp"

namespace kbench {
namespace {

using Bytes = std::vector<std::byte>;

// Elements of `size` bytes, each another one.
Bytes elements(std::size_t count, std::size_t size) {
  Bytes bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t b = 0; b < size && b < 4; ++b)
      bytes[i * size + b] = static_cast<std::byte>(i >> (8 * b));
  }
  return bytes;
}

std::size_t count_wrong(const Bytes& right, const Bytes& seen, std::size_t size) {
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < right.size(); at += size)
    wrong += std::equal(&right[at], &right[at] + size, &seen[at]) ? 0 : 1;
  return wrong;
}

TEST(Canaries, AreInEveryTensorUntilTheyAreRepaired) {
  const std::vector<std::pair<DType, std::size_t>> kinds = {
      {DType::float32, 4}, {DType::bfloat16, 2}, {DType::int64, 8}, {DType::int8, 1}};
  std::vector<Bytes> right, seen;
  std::vector<SeenTensor> tensors;
  for (const auto& [dtype, size] : kinds) right.push_back(elements(20'000, size));
  seen = right;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    tensors.push_back({seen[i].data(), seen[i].size(), kinds[i].first});
  Canaries canaries(tensors, 1);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::size_t wrong = count_wrong(right[i], seen[i], kinds[i].second);
    EXPECT_GE(wrong, 100U) << i;
    EXPECT_LE(wrong, Canaries::count) << i;
  }
  canaries.repair();
  EXPECT_EQ(seen, right);
}

TEST(Canaries, HalfOfThemAreValuesOfOtherElements) {
  const Bytes right = elements(20'000, 8);
  Bytes seen = right;
  const Canaries canaries({{seen.data(), seen.size(), DType::int64}}, 1);
  std::size_t from_elsewhere = 0;
  for (std::size_t at = 0; at < seen.size(); at += 8) {
    const bool is_element =
        std::all_of(&seen[at] + 4, &seen[at] + 8, [](std::byte b) { return b == std::byte{0}; });
    from_elsewhere += is_element && !std::equal(&right[at], &right[at] + 8, &seen[at]) ? 1 : 0;
  }
  EXPECT_GE(from_elsewhere, 60U);
  EXPECT_LE(from_elsewhere, Canaries::count / 2);
}

TEST(Canaries, OfASmallTensorNothingIsRight) {
  const Bytes right(Canaries::whole_bytes);
  Bytes seen = right;
  Canaries canaries({{seen.data(), seen.size(), DType::float32}}, 1);
  EXPECT_EQ(count_wrong(right, seen, 4), right.size() / 4);
  canaries.repair();
  EXPECT_EQ(seen, right);
}

TEST(Canaries, AreElsewhereWithAnotherSecret) {
  const Bytes right = elements(20'000, 4);
  Bytes one = right, other = right;
  const Canaries first({{one.data(), one.size(), DType::float32}}, 1);
  const Canaries second({{other.data(), other.size(), DType::float32}}, 2);
  EXPECT_NE(one, other);
}

TEST(Canaries, ATensorWithoutElementsHasNone) {
  Canaries({{nullptr, 0, DType::float32}}, 1).repair();
}

}  // namespace
}  // namespace kbench
