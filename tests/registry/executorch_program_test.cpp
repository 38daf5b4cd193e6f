// Programs of ExecuTorch: tests/data/models/linear.pte was exported by ExecuTorch 1.5.1, and the
// calls are what its gen_oplist says of it.
#include "kernels/registry/executorch_program.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"

namespace kbench {
namespace {

std::string bytes_of(const char* name) {
  return read_file(std::string(KBENCH_SOURCE_DIR) + "/tests/data/models/" + name);
}

std::string shown(const ProgramCall& call) {
  KernelKey key;
  for (const auto& one : call.arguments)
    if (one && !one->is_none) key.push_back(*one);
  return call.op + " " + key_text(key);
}

std::string problem_of(std::string_view bytes) {
  Diagnostics problems;
  const auto program = read_program(bytes, "m.pte", problems);
  EXPECT_EQ(program.has_value(), problems.errors() == 0);
  return problems.empty() ? "" : problems.items().front().message;
}

TEST(ExecuTorchPrograms, CallsAreThoseOfItsOwnTool) {
  Diagnostics problems;
  const auto program = read_program(bytes_of("linear.pte"), "linear.pte", problems);
  ASSERT_TRUE(program);
  std::vector<std::string> calls;
  for (const ProgramCall& call : program->calls) calls.push_back(shown(call));
  EXPECT_EQ(calls,
            (std::vector<std::string>{
                "aten::permute_copy.out v1/6;0,1|6;0,1|6;0,1",
                "aten::addmm.out v1/6;0|6;0,1|6;0,1|6;0,1|6;0,1",
                "aten::relu.out v1/6;0,1|6;0,1|6;0,1", "aten::add.out v1/6;0,1|6;0,1|6;0,1|6;0,1",
                "aten::sum.IntList_out v1/6;0,1|6;0,1|6;0,1", "aten::cat.out v1/6;0,1|6;0,1|6;0,1",
                "aten::native_layer_norm.out v1/6;0,1|6;0,1|6;0,1|6;0,1|6;0,1"}));
  EXPECT_EQ(program->operators.size(), 7U);
  EXPECT_TRUE(program->delegates.empty());
}

TEST(ExecuTorchPrograms, KeysAreOfTheTensorsOfASchema) {
  const TensorMeta x{6, std::vector<int>{0, 1}}, none{{}, {}, true};
  const ProgramCall call{"f.out", {x, std::nullopt, none, x}};
  std::string why;
  EXPECT_EQ(key_text(*key_of(call, {0, 2, 3}, why)), "v1/6;0,1|-|6;0,1");
  EXPECT_FALSE(key_of(call, {0, 1}, why));
  EXPECT_EQ(why, "argument 1 of its call is no tensor");
  EXPECT_FALSE(key_of(call, {4}, why));
}

TEST(ExecuTorchPrograms, WhatIsNoneIsSaidWithItsByte) {
  const std::string whole = bytes_of("linear.pte");
  EXPECT_EQ(problem_of(whole), "");
  EXPECT_EQ(problem_of("PK\3\4 and more"),
            "is no ExecuTorch program: at byte 4: an ExecuTorch program has \"ET12\" there");
  EXPECT_EQ(problem_of("ET12"), "is no ExecuTorch program: at byte 4: 4 bytes are beyond the end");
  EXPECT_EQ(problem_of(whole.substr(0, 2000)),
            "is no ExecuTorch program: at byte 2540: 2 bytes are beyond the end");
}

// Any byte gives a program or an error; a cut one has no program.
TEST(ExecuTorchPrograms, AnyByteMayBeAnother) {
  const std::string whole = bytes_of("linear.pte");
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 0x7f, 0xff}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      refused += problem_of(changed).empty() ? 0 : 1;
    }
    // The tables end there; weights follow, which are not read.
    EXPECT_TRUE(at > 2540 || !problem_of(whole.substr(0, at)).empty()) << at;
  }
  EXPECT_GT(refused, whole.size() / 2);
}

}  // namespace
}  // namespace kbench
