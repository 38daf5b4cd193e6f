#include "worker/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace kbench::worker {
namespace {

constexpr DLDataType float32{kDLFloat, 32, 1};
constexpr DLDataType int64{kDLInt, 64, 1};

class ArenaTest : public testing::Test {
 protected:
  // It is too large for a stack that sanitizers widen.
  std::unique_ptr<Control> control_ = std::make_unique<Control>();
  Hardware processor_;
  Arena arena_;

  void SetUp() override {
    control_->output_count = 2;
    control_->outputs[0].dlpack_code = kDLFloat;
    control_->outputs[0].bits = 32;
    control_->outputs[1].dlpack_code = kDLInt;
    control_->outputs[1].bits = 64;
    control_->patterns[0] = 0x1111111111111111U;
    control_->patterns[1] = 0x2222222222222222U;
    control_->margin = std::byte{0x33};
    arena_.serve(*control_, processor_);
  }
  static bool is_filled(const Arena::Block& block, int value) {
    return std::all_of(block.data(), block.data() + block.bytes,
                       [value](std::byte b) { return b == static_cast<std::byte>(value); });
  }
  static void write(Arena::Block& block) { std::memset(block.data(), 7, block.bytes); }
};

TEST_F(ArenaTest, MemoryHoldsThePatternOfItsType) {
  arena_.begin(true);
  EXPECT_TRUE(is_filled(*arena_.take(100, float32), 0x11));
  EXPECT_TRUE(is_filled(*arena_.take(100, int64), 0x22));
  EXPECT_TRUE(is_filled(*arena_.take(100, {kDLUInt, 8, 1}), 0x11));  // no output has it
}

TEST_F(ArenaTest, JudgedCallsFindNothingInWhatWasGivenBack) {
  arena_.begin(true);
  Arena::Block* const block = arena_.take(1 << 20, float32);
  write(*block);
  arena_.give_back(*block);
  EXPECT_EQ(arena_.take(1 << 20, float32), block);
  EXPECT_TRUE(is_filled(*block, 0x11));
}

TEST_F(ArenaTest, TimedCallsPayForThePatternOnce) {
  arena_.begin(true);
  Arena::Block* const block = arena_.take(4096, float32);
  write(*block);
  arena_.give_back(*block);
  arena_.begin(false);
  EXPECT_EQ(arena_.take(4096, float32), block);
  EXPECT_TRUE(is_filled(*block, 0x11)) << "the last command's answer is still there";
  write(*block);
  arena_.give_back(*block);
  EXPECT_EQ(arena_.take(4096, float32), block);
  EXPECT_TRUE(is_filled(*block, 7));
}

TEST_F(ArenaTest, AResultThatIsStillHeldIsPoisonedAndAWorkspaceIsNot) {
  arena_.begin(true);
  Arena::Block* const result = arena_.take(64, float32);
  Arena::Block* const workspace = arena_.take(64, float32);
  result->tensor.dl_tensor.dtype = float32;
  write(*result);
  write(*workspace);
  arena_.protect(*result);
  arena_.begin(true);
  EXPECT_TRUE(is_filled(*result, 0x11));
  EXPECT_TRUE(is_filled(*workspace, 7));
  write(*result);  // it is writable again
}

TEST_F(ArenaTest, WritesBesideABlockAreSeen) {
  arena_.begin(true);
  Arena::Block* const block = arena_.take(100, float32);
  EXPECT_TRUE(Arena::is_margin_whole(*block));
  block->data()[100] ^= std::byte{1};
  EXPECT_FALSE(Arena::is_margin_whole(*block));
}

TEST_F(ArenaTest, ABlockIsFoundByAnyOfItsAddresses) {
  arena_.begin(true);
  Arena::Block* const block = arena_.take(100, float32);
  EXPECT_EQ(arena_.find(block->data()), block);
  EXPECT_EQ(arena_.find(block->data() + 99), block);
  EXPECT_EQ(arena_.find(this), nullptr);
  EXPECT_EQ(control_->allocations[0].address, reinterpret_cast<std::uint64_t>(block->data()));
}

TEST_F(ArenaTest, MoreBlocksThanTheTableHolds) {
  arena_.begin(true);
  for (int i = 0; i < 2 * max_allocations; ++i) ASSERT_NE(arena_.take(8, int64), nullptr);
  EXPECT_NE(control_->allocations[max_allocations - 1].address, 0U);
}

TEST_F(ArenaTest, MemoryThatIsNotThereIsSaid) {
  arena_.begin(true);
  EXPECT_EQ(arena_.take(std::size_t{1} << 60, float32), nullptr);
  EXPECT_EQ(control_->out_of_memory, 1U);
}

TEST(ByteCount, RefusesWhatNoMemoryHolds) {
  const auto count = [](std::vector<std::int64_t> shape, DLDataType type) {
    return byte_count(
        {nullptr, {kDLCPU, 0}, static_cast<int>(shape.size()), type, shape.data(), nullptr, 0});
  };
  EXPECT_EQ(count({2, 3}, float32), 24U);
  EXPECT_EQ(count({}, float32), 4U);
  EXPECT_EQ(count({5}, {kDLFloat, 4, 1}), 3U);
  EXPECT_EQ(count({std::int64_t{1} << 40, 0}, float32), 0U);
  EXPECT_EQ(count({-1}, float32), std::nullopt);
  EXPECT_EQ(count({std::int64_t{1} << 40, std::int64_t{1} << 40}, float32), std::nullopt);
}

}  // namespace
}  // namespace kbench::worker
