// The judge reads what kbench-torch says of its memory with suspicion.
#include <gtest/gtest.h>

#include <stdexcept>

#include "reference/answers.hpp"

namespace kbench {
namespace {

ExactAnswer answer_for(const ExactOutput& output) {
  ReferenceReply reply;
  reply.exact = {output};
  return exact_answer(reply, SharedMemory("test", 8192));
}

TEST(ExactAnswers, AreViewsOfTheirMemory) {
  const ExactAnswer good = answer_for({true, DType::int64, {2, 3}, 0, 48, 4096});
  EXPECT_EQ(good.outputs.at(0).values.size(), 6U);
  EXPECT_EQ(good.outputs.at(0).condition.data(), good.outputs.at(0).values.data() + 512);
  const ExactAnswer codes = answer_for({false, DType::int8, {5}, 4096, 5, 0});
  EXPECT_EQ(codes.outputs.at(0).stored.bytes, 5U);
}

TEST(ExactAnswers, OutsideTheirMemoryAreRefused) {
  const std::int64_t huge = std::int64_t{1} << 61;
  for (const ExactOutput& wrong : {ExactOutput{true, DType::int64, {6}, 8184, 48, 0},
                                   ExactOutput{true, DType::int64, {6}, 0, 48, 8192},
                                   ExactOutput{true, DType::int64, {6}, 4, 48, 4096},
                                   ExactOutput{true, DType::int64, {7}, 0, 48, 4096},
                                   ExactOutput{true, DType::int64, {huge}, 0, 0, 0},
                                   ExactOutput{false, DType::int8, {-1}, 0, 1, 0},
                                   ExactOutput{false, DType::int32, {2048}, 4096, 8192, 0}}) {
    EXPECT_THROW(answer_for(wrong), std::runtime_error);
  }
}

}  // namespace
}  // namespace kbench
