#include "exec/canaries.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace kbench {
namespace {

// Tensors of zeros on pages of their own.
Inputs inputs_of(const std::vector<std::pair<DType, std::size_t>>& tensors) {
  Inputs inputs;
  inputs.memory = SharedMemory("test", 4096 * tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto [dtype, bytes] = tensors[i];
    BoundInput input;
    input.offset = 4096 * i;
    const auto elements =
        static_cast<std::int64_t>(bytes * 8 / static_cast<std::size_t>(info(dtype).bits));
    input.tensor = {dtype, {elements}, inputs.memory.data() + input.offset, bytes};
    inputs.values.push_back(std::move(input));
  }
  return inputs;
}

std::size_t count_wrong(const Inputs& inputs, const std::byte* stage, std::size_t tensor,
                        std::size_t size) {
  std::size_t wrong = 0;
  const std::size_t begin = inputs.values[tensor].offset;
  for (std::size_t at = begin; at < begin + inputs.values[tensor].tensor.bytes; at += size)
    wrong += std::memcmp(stage + at, inputs.memory.data() + at, size) != 0;
  return wrong;
}

TEST(Canaries, AreInEveryTensorUntilTheyAreRepaired) {
  const Inputs inputs = inputs_of(
      {{DType::float32, 4096}, {DType::bfloat16, 20}, {DType::int64, 4096}, {DType::int8, 4000}});
  std::vector<std::byte> stage(inputs.memory.size());
  Canaries canaries(inputs, stage.data(), 1);
  EXPECT_GE(count_wrong(inputs, stage.data(), 0, 4), Canaries::least);
  EXPECT_EQ(count_wrong(inputs, stage.data(), 1, 2), 10U);  // all of a small one
  EXPECT_GE(count_wrong(inputs, stage.data(), 2, 8), Canaries::least);
  EXPECT_GE(count_wrong(inputs, stage.data(), 3, 1), Canaries::least);
  canaries.repair();
  EXPECT_EQ(std::memcmp(stage.data(), inputs.memory.data(), stage.size()), 0);
}

TEST(Canaries, AreElsewhereWithAnotherSecret) {
  const Inputs inputs = inputs_of({{DType::float32, 4096}});
  std::vector<std::byte> one(inputs.memory.size());
  std::vector<std::byte> other(inputs.memory.size());
  const Canaries first(inputs, one.data(), 1);
  const Canaries second(inputs, other.data(), 2);
  EXPECT_NE(one, other);
}

TEST(Canaries, ATensorWithoutElementsHasNone) {
  const Inputs inputs = inputs_of({{DType::float32, 0}});
  std::vector<std::byte> stage(inputs.memory.size());
  Canaries(inputs, stage.data(), 1).repair();
}

}  // namespace
}  // namespace kbench
