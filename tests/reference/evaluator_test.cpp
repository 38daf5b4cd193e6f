#include "reference/evaluator.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "reference/evaluator_case.hpp"

namespace kbench {
namespace {

class EvaluatorOfReferences : public EvaluatorTest {};

TEST_F(EvaluatorOfReferences, ChangedInputsStayInTheFork) {
  const Case c = case_of("def run(x):\n    x.add_(1)\n    return x\n", {1, 2});
  EXPECT_EQ(floats_of(c), (std::vector<float>{2, 3}));
  EXPECT_EQ(values<float>(c.inputs.values[0].tensor), (std::vector<float>{1, 2}));
}

TEST_F(EvaluatorOfReferences, RaiseIsTheReferencesFailure) {
  const Case c = case_of(
      "import torch\n\ndef run(x):\n    n = x.shape[0]\n    assert n == 4, f\"expected 4, got "
      "{n}\"\n"
      "    return x\n");
  expect_end(c, Outcome::failed, 5, "expected 4, got 1");
  expect_still_right();
}

TEST_F(EvaluatorOfReferences, OperatorThatRefusesIsTheReferencesFailure) {
  const Case c = case_of(
      "import torch\n\ndef helper(a, b):\n    return a @ b\n\ndef run(x):\n"
      "    return helper(x.view(1, 2), x.view(1, 2))\n",
      {1, 2});
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.line, 4);
  EXPECT_NE(answer.message.find("cannot be multiplied"), std::string::npos) << answer.message;
  EXPECT_EQ(answer.message.find("TorchScript"), std::string::npos) << answer.message;
}

TEST_F(EvaluatorOfReferences, MemoryBombEndsAtItsLimit) {
  const Case c = case_of(
      "import torch\n\ndef run(x):\n    parts = [x]\n    while True:\n"
      "        parts.append(torch.ones(1 << 24))\n    return torch.cat(parts)\n");
  EXPECT_EQ(evaluate(c).outcome, Outcome::out_of_memory);
  const Case broad = case_of("import torch\n\ndef run(x):\n    return x.expand(1 << 40)\n");
  EXPECT_EQ(evaluate(broad).outcome, Outcome::out_of_memory);
  expect_still_right();
}

TEST_F(EvaluatorOfReferences, EndlessLoopEndsAtItsLimit) {
  ReferenceLimits limits;
  limits.seconds = 0.5;
  ReferenceEvaluator impatient(program, limits, 1, never_stopped);
  const Case c = case_of("def run(x):\n    while True:\n        x = x + 1\n    return x\n");
  EXPECT_EQ(impatient.evaluate(c.definition, c.problem, c.inputs, {}).outcome, Outcome::timeout);
  const Case add = add_case();
  const ReferenceAnswer answer = impatient.evaluate(add.definition, add.problem, add.inputs, {});
  EXPECT_EQ(answer.outcome, Outcome::ok) << answer.message;
}

TEST_F(EvaluatorOfReferences, EndlessRecursionFails) {
  const Case c = case_of("def f(x):\n    return f(x)\n\ndef run(x):\n    return f(x)\n");
  expect_end(c, Outcome::failed, 2, "RecursionError");
  expect_still_right();
}

// LibTorch's compiler drops what nothing reads; Python runs it.
TEST_F(EvaluatorOfReferences, WhatNothingReadsIsRunNevertheless) {
  const char* failing[] = {"z = x.view(77)", "x.view(77)", "z = 0\n    z += x.view(77)",
                           "z, w = x.view(77), 1", "for i in range(2):\n        z = x.view(77)"};
  for (const std::string statement : failing) {
    const Case c = case_of("import torch\n\ndef run(x):\n    " + statement + "\n    return x\n");
    const ReferenceAnswer answer = evaluate(c);
    EXPECT_EQ(answer.outcome, Outcome::failed) << statement << ": " << answer.message;
    EXPECT_GE(answer.line, 4) << statement;
  }
}

TEST_F(EvaluatorOfReferences, WhatIsNotReadStillCompiles) {
  const Case c = case_of(
      "import torch\nimport torch.nn.functional as F\n\ndef check(x):\n    assert x.numel() > 0\n\n"
      "def run(x):\n    act = F.gelu\n    dtype = torch.float16\n    a, b = x.shape[0], 1\n"
      "    limits = (1, 2)\n    pair = x, x\n    check(x)\n    parts = []\n    parts.append(x)\n"
      "    n = 0\n    while n < 3:\n        n += 1\n    print('once')\n    torch.manual_seed(1)\n"
      "    mask = [i for i in range(3)]\n    text = f'{n}'\n    return x\n");
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::ok) << answer.line << ": " << answer.message;
}

TEST_F(EvaluatorOfReferences, LoopThatNothingReadsEndsAtItsLimit) {
  const Case c = case_of(
      "import torch\n\ndef run(x):\n    parts = []\n    while True:\n"
      "        parts.append(torch.ones(1 << 26))\n    return x\n");
  EXPECT_EQ(evaluate(c).outcome, Outcome::out_of_memory);
}

// The seed, and what a call of one reference leaves in its inputs, no other one finds.
TEST_F(EvaluatorOfReferences, RequestsShareNoState) {
  const Case draw = case_of(
      "import torch\n\ndef run(x):\n    x.add_(1)\n    return torch.rand(4) + x\n", {0, 0, 0, 0});
  const auto first = values<float>(evaluate(draw).outputs.at(0));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values<float>(evaluate(draw).outputs.at(0)), first);
}

TEST_F(EvaluatorOfReferences, SaysItsVersion) {
  EXPECT_EQ(shared->torch_version().substr(0, 2), "2.");
}

// Returns the number of a process whose parent is this one and whose program is kbench-torch.
int server_of_this_process() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    int pid = 0, parent = 0;
    std::string name, state;
    if (stat >> pid >> name >> state >> parent && parent == ::getpid() &&
        name == "(kbench-torch)") {
      return pid;
    }
  }
  return 0;
}

TEST_F(EvaluatorOfReferences, StartsAgainWhenItsServerIsGone) {
  delete shared;
  shared = new ReferenceEvaluator(program, {20, std::uint64_t{1} << 30}, 1, never_stopped);
  expect_still_right();
  const int server = server_of_this_process();
  ASSERT_GT(server, 0);
  ASSERT_EQ(::kill(server, SIGKILL), 0);
  expect_still_right();
}

std::string failure_to_start(const char* program) {
  ReferenceLimits limits;
  limits.start_seconds = 0.2;
  ReferenceEvaluator evaluator(program, limits, 1, never_stopped);
  try {
    return evaluator.torch_version();
  } catch (const ServiceFailure& failure) {
    return failure.what();
  }
}

TEST(EvaluatorStart, ProgramThatEndsAtOnceIsSaid) {
  EXPECT_EQ(failure_to_start("/bin/false"), "/bin/false does not start: it exited with 1");
}

TEST(EvaluatorStart, ProgramThatIsNeverReadyIsSaid) {
  EXPECT_EQ(failure_to_start("/usr/bin/yes"), "/usr/bin/yes has not answered for 0.2 s");
}

TEST_F(EvaluatorOfReferences, StopEndsTheWaitForALoop) {
  std::atomic<bool> stop{false};
  ReferenceEvaluator stopped(program, {}, 1, stop);
  stopped.torch_version();
  stop = true;
  const Case c = case_of("def run(x):\n    while True:\n        x = x + 1\n    return x\n");
  EXPECT_THROW(stopped.evaluate(c.definition, c.problem, c.inputs, {}), Interrupted);
}

// Python imports torch once: both are forks of one process, and each goes on where the other ends.
TEST(EvaluatorStart, PythonOfTheEvaluatorAndOfAHostIsLoadedOnce) {
  ReferenceLimits limits;
  limits.evaluator = EvaluatorChoice::python;
  ReferenceEvaluator evaluator(program, limits, 1, never_stopped);
  const auto loaded = evaluator.python_forks();
  Service host(loaded, "--host", never_stopped);
  EXPECT_NE(host.greeting(Service::Seconds(60)), "");
  const Case c = case_of("def run(x):\n    return x + 1\n");
  for (int i = 0; i < 2; ++i) {
    const ReferenceAnswer answer = evaluator.evaluate(c.definition, c.problem, c.inputs, {});
    EXPECT_EQ(answer.outcome, ReferenceAnswer::Outcome::ok) << answer.message;
    EXPECT_EQ(answer.evaluator, Evaluator::python);
    EXPECT_FALSE(host.ask("no request", {}, Service::Seconds(60)));  // it ends
    EXPECT_NE(host.greeting(Service::Seconds(60)), "");
  }
}

TEST(EvaluatorStart, MissingProgramIsSaid) {
  EXPECT_THROW(ReferenceEvaluator("/no/such/kbench-torch", {}, 1, never_stopped).start(),
               ServiceFailure);
}

}  // namespace
}  // namespace kbench
