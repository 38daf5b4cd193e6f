#include <gtest/gtest.h>

#include "reference/torch/script/program.hpp"

namespace kbench {
namespace {

TEST(CompileErrorText, ConstructLineAndFirstSentence) {
  const CompileError error = compile_error(
      "\nUnknown builtin op: aten::unique.\nHere are some suggestions: \n\taten::unique_dim\n:\n"
      "  File \"reference\", line 6\n    y = torch.unique(x[0])\n        ~~~~~~~~~~~~~~~~~ <--- "
      "HERE\n"
      "'run' is being compiled since it was called from 'entry'\n  File \"reference\", line 3\n");
  EXPECT_EQ(error.line, 6);
  EXPECT_EQ(error.construct, "y = torch.unique(x[0])");
  EXPECT_EQ(error.detail, "Unknown builtin op: aten::unique");
}

TEST(CompileErrorText, ReasonBelowAnEmptySentence) {
  const CompileError error = compile_error(
      "\nArguments for call are not valid.\nThe following variants are available:\n  \n  f(int a)\n"
      "  Expected a value of type 'int' for argument 'a' but instead found type 'float'.\n:\n"
      "  File \"reference\", line 2\n    f(1.0)\n    ~~~~~ <--- HERE\n");
  EXPECT_EQ(error.detail,
            "Expected a value of type 'int' for argument 'a' but instead found type 'float'");
  EXPECT_EQ(error.construct, "f(1.0)");
}

TEST(CompileErrorText, Sentences) {
  EXPECT_EQ((CompileError{"try", "", 1}.message()), "try is not supported by LibTorch's compiler");
  EXPECT_EQ((CompileError{"a", "why", 1}.message()),
            "a is not supported by LibTorch's compiler: why");
  EXPECT_EQ((CompileError{"np", "undefined value np", 1}.message()), "'np' is not defined");
  EXPECT_EQ((CompileError{"run", "run() takes 2 arguments, not 3", 1}.message()),
            "run() takes 2 arguments, not 3");
}

TEST(RunErrorText, LastLineAndMessageAlone) {
  const ReferenceReply reply = run_error(
      "The following operation failed in the TorchScript interpreter.\n"
      "Traceback of TorchScript (most recent call last):\n"
      "  File \"reference\", line 9, in run\n    return helper(x)\n           ~~~~~~ <--- HERE\n"
      "  File \"reference\", line 4, in helper\n    return a @ b\n           ~~~~~ <--- HERE\n"
      "    c = 1\n\nRuntimeError: mat1 and mat2 shapes cannot be multiplied (1x2 and 1x2)\n\n"
      "Exception raised from handleError at interpreter.cpp:941 (most recent call first):\nframe "
      "#0\n");
  EXPECT_EQ(reply.outcome, ReferenceOutcome::failed);
  EXPECT_EQ(reply.line, 4);
  EXPECT_EQ(reply.message, "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x2 and 1x2)");
}

TEST(RunErrorText, NoMemory) {
  EXPECT_EQ(run_error("std::bad_alloc").outcome, ReferenceOutcome::out_of_memory);
  EXPECT_EQ(run_error("DefaultCPUAllocator: can't allocate memory: you tried …").outcome,
            ReferenceOutcome::out_of_memory);
}

TEST(RunErrorText, LongMessagesAreCut) {
  EXPECT_LT(run_error(std::string(100000, 'x')).message.size(), 1000u);
}

}  // namespace
}  // namespace kbench
