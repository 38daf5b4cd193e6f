#include "exec/poisoned_outputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "problem/element.hpp"

namespace kbench {
namespace {

TEST(PoisonedOutputs, EveryElementIsUnwrittenAfterPoison) {
  for (const DTypeInfo& type : dtypes()) {
    PoisonedOutputs memory({{"y", type.dtype, false, {3, 5}}});
    memory.poison(42);
    EXPECT_EQ(memory.unwritten(0).count, 15U) << type.name;
    EXPECT_EQ(memory.unwritten(0).first, 0U) << type.name;
    EXPECT_EQ(memory.overrun(), -1);
  }
}

TEST(PoisonedOutputs, FloatsArePoisonedWithNaN) {
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16, DType::float8_e4m3fn,
                            DType::float8_e5m2}) {
    PoisonedOutputs memory({{"y", dtype, false, {7}}});
    for (std::uint64_t secret = 0; secret < 50; ++secret) {
      memory.poison(secret);
      std::vector<double> values(7);
      decode(dtype, memory.views()[0].data, 0, values);
      for (const double value : values) EXPECT_NE(value, value) << info(dtype).name;
    }
  }
}

TEST(PoisonedOutputs, CountsWhatWasNotWritten) {
  PoisonedOutputs memory({{"y", DType::float32, false, {4}}});
  memory.poison(1);
  const float written[2] = {0, 1};
  std::memcpy(memory.data(0), written, sizeof written);
  EXPECT_EQ(memory.unwritten(0).count, 2U);
  EXPECT_EQ(memory.unwritten(0).first, 2U);
}

TEST(PoisonedOutputs, SeesWritesBesideATensor) {
  PoisonedOutputs memory({{"a", DType::int8, false, {3}}, {"b", DType::int64, false, {2}}});
  memory.poison(7);
  EXPECT_EQ(memory.overrun(), -1);
  memory.data(1)[16] ^= std::byte{1};
  EXPECT_EQ(memory.overrun(), 1);
  memory.poison(8);
  memory.data(0)[-1] ^= std::byte{1};
  EXPECT_EQ(memory.overrun(), 0);
}

TEST(PoisonedOutputs, LiesElsewhereForAnotherShift) {
  std::set<std::size_t> places;
  for (std::uint64_t shift = 0; shift < 50; ++shift) {
    PoisonedOutputs memory({{"a", DType::float32, false, {1030}}, {"b", DType::int8, false, {5}}},
                           shift);
    memory.poison(7);
    EXPECT_EQ(memory.offset(0) % 64, 0U);
    EXPECT_EQ(memory.unwritten(0).count, 1030U);
    EXPECT_EQ(memory.overrun(), -1);
    memory.data(1)[5] ^= std::byte{1};
    EXPECT_EQ(memory.overrun(), 1) << shift;
    places.insert(memory.offset(0) % 4096);
  }
  EXPECT_GT(places.size(), 25U);
}

TEST(PoisonedOutputs, OutputsOfOneTypeHoldOnePattern) {
  PoisonedOutputs memory({{"a", DType::int32, false, {3}}, {"b", DType::int32, false, {2}}});
  memory.poison(7);  // a result allocated for either of them holds it
  EXPECT_EQ(memory.pattern(0), memory.pattern(1));
  EXPECT_EQ(std::memcmp(memory.data(0), memory.data(1), 8), 0);
}

TEST(PoisonedOutputs, AnEmptyOutputIsNoTrouble) {
  PoisonedOutputs memory({{"y", DType::float32, false, {0, 8}}});
  memory.poison(3);
  EXPECT_EQ(memory.unwritten(0).count, 0U);
  EXPECT_EQ(memory.overrun(), -1);
}

TEST(PoisonedOutputs, AnotherSecretIsAnotherPattern) {
  PoisonedOutputs memory({{"y", DType::int64, false, {1}}});
  memory.poison(1);
  std::int64_t first = 0;
  std::memcpy(&first, memory.data(0), sizeof first);
  memory.poison(2);
  EXPECT_NE(std::memcmp(&first, memory.data(0), sizeof first), 0);
}

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

const std::vector<TensorPlan> plans = {{"a", DType::float32, false, {10000}},
                                       {"b", DType::int8, false, {3}}};

TEST(Snapshot, HoldsWhatTheOutputsHeld) {
  PoisonedOutputs outputs(plans);
  outputs.poison(1);
  Snapshot snapshot(outputs, 2);
  snapshot.probe();
  snapshot.take();
  EXPECT_EQ(snapshot.done_early(), "");
  EXPECT_EQ(snapshot.changed_since(), "");
  outputs.data(1)[2] ^= std::byte{1};
  EXPECT_EQ(snapshot.changed_since(), "b");
  EXPECT_EQ(snapshot.done_early(), "");
  outputs.read_from(snapshot.data());
  EXPECT_EQ(outputs.unwritten(1).count, 3U);  // the contents at take()
  outputs.poison(3);
  EXPECT_EQ(outputs.views()[1].data, outputs.memory().data() + outputs.offset(1));
}

TEST(Snapshot, ProbesSeeWhatChangesBeforeIt) {
  PoisonedOutputs outputs(plans);
  outputs.poison(1);
  Snapshot snapshot(outputs, 2);
  snapshot.probe();
  for (std::size_t i = 0; i < 40000; i += 2) outputs.data(0)[i] ^= std::byte{1};
  snapshot.take();
  EXPECT_EQ(snapshot.done_early(), "a");
  EXPECT_EQ(snapshot.changed_since(), "");
}

TEST(Snapshot, WithoutElementsThereIsNothingToSee) {
  PoisonedOutputs outputs({{"y", DType::float32, false, {0}}});
  outputs.poison(1);
  Snapshot snapshot(outputs, 2);
  snapshot.probe();
  snapshot.take();
  EXPECT_EQ(snapshot.done_early() + snapshot.changed_since(), "");
}

}  // namespace

}  // namespace kbench
