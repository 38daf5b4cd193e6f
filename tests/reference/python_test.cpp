// References that Python runs, because LibTorch's compiler does not take them or because it is
// asked to.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

class EvaluatorInPython : public EvaluatorTestWith<EvaluatorChoice::python> {
 protected:
  void SetUp() override {
    EvaluatorTestWith::SetUp();
    if (IsSkipped()) return;
    const ReferenceAnswer answer = evaluate(add_case());
    if (answer.outcome == Outcome::unsupported) GTEST_SKIP() << answer.message;
  }
};
using Automatic = EvaluatorTestWith<EvaluatorChoice::automatic>;

// Makes run(x) of four floats with this body, which may be several lines.
Case of_body(const std::string& body) {
  std::string text = "import torch\n\ndef run(x):\n    ";
  for (const char c : body) text += c == '\n' ? "\n    " : std::string(1, c);
  return case_of(text + "\n", {1, 2, 3, 4});
}

TEST_F(EvaluatorInPython, GivesLibTorchsBits) {
  const ReferenceAnswer answer = evaluate_well(add_case());
  EXPECT_EQ(answer.evaluator, Evaluator::python);
  EXPECT_EQ(values<float>(answer.outputs.at(0)), (std::vector<float>{11, 22, 33}));
}

TEST_F(EvaluatorInPython, RunsWhatTheCompilerDoesNotTake) {
  const Case c = of_body(
      "class Scale:\n    def __init__(self, by): self.by = by\n    def __call__(self, t): return t "
      "* "
      "self.by\ntry:\n    y = Scale(2)(x)\nexcept ValueError:\n    y = x\n"
      "return sum(v for v in [y, x] if v is not None)");
  EXPECT_EQ(floats_of(c), (std::vector<float>{3, 6, 9, 12}));
}

TEST_F(EvaluatorInPython, ScalarsTuplesListsAndDicts) {
  Case c(
      "import torch\n\ndef run(x, n, flag, f):\n"
      "    assert type(n) is int and type(flag) is bool and type(f) is float\n"
      "    return {'b': n, 'a': [x * f, x][flag]}\n");
  c.floats("x", {1, 2}).scalar("n", DType::int32, std::int64_t{7});
  c.scalar("flag", DType::boolean, false).scalar("f", DType::float32, 0.5);
  c.output("a").output("b", DType::int64).seal();
  const ReferenceAnswer answer = evaluate_well(c);
  EXPECT_EQ(values<float>(answer.outputs.at(0)), (std::vector<float>{0.5, 1}));
  EXPECT_EQ(values<std::int64_t>(answer.outputs.at(1)), (std::vector<std::int64_t>{7}));
}

// Four definitions of FlashInfer-Bench's own data set need it.
TEST_F(EvaluatorInPython, ParametersInAnotherOrderAreGivenByName) {
  Case c("def run(b, a):\n    try:\n        return a - b\n    except ValueError:\n        pass\n");
  c.floats("a", {10, 20}).floats("b", {1, 2}).output("y").seal();
  EXPECT_EQ(values<float>(evaluate(c).outputs.at(0)), (std::vector<float>{9, 18}));
}

TEST_F(EvaluatorInPython, RaiseHasTheLineOfTheText) {
  const ReferenceAnswer answer = evaluate(of_body("y = x\nraise ValueError('no ' + str(1))"));
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.line, 5);
  EXPECT_EQ(answer.message, "ValueError: no 1");
}

TEST_F(EvaluatorInPython, SyntaxErrorHasItsLine) {
  const ReferenceAnswer answer = evaluate(of_body("y = = x\nreturn y"));
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.line, 4);
  EXPECT_EQ(answer.message, "SyntaxError: invalid syntax");
}

TEST_F(EvaluatorInPython, CudaMeansTheCpu) {
  const Case c = of_body(
      "y = torch.zeros(4, device='cuda') + x.cuda().to('cuda:0')\n"
      "y = y.to(device=torch.device('cuda', 0))\nassert y.device.type == 'cpu'\nreturn y");
  EXPECT_EQ(floats_of(c), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(EvaluatorInPython, WhatOneReferenceRebindsNoOtherOneSees) {
  const ReferenceAnswer answer =
      evaluate(of_body("torch.matmul = torch.add = None\ntorch.Tensor.__add__ = None\nreturn x"));
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  expect_still_right();
}

TEST_F(EvaluatorInPython, SeesNoEnvironmentAndNoPathsOfOthers) {
  const Case c = of_body(
      "import os, sys\nassert set(os.environ) <= {'LC_ALL', 'GOMP_SPINCOUNT', "
      "'OPENBLAS_NUM_THREADS', 'TORCHINDUCTOR_CACHE_DIR'}, str(os.environ)\n"
      "assert os.getcwd() not in sys.path and '' not in sys.path\nreturn x");
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::ok) << answer.message;
}

struct Hostile {
  const char* name;
  const char* body;  // VICTIM stands for a file that is there, FRESH for one that is not
  Outcome outcome;
  const char* says;
};

// Programs of a hostile reference: what each tries harms nothing and is its own failure.
constexpr Hostile hostile[] = {
    {"RemovesAFile", "import os\nos.remove('VICTIM')\nreturn x", Outcome::failed, "not permitted"},
    {"WritesToAFile", "open('VICTIM', 'w').write('x')\nreturn x", Outcome::failed, "not permitted"},
    {"ReadsAFile", "open('VICTIM').read()\nreturn x", Outcome::failed, "Permission denied"},
    {"ListsAFolder", "import os\nos.listdir('/tmp')\nreturn x", Outcome::failed,
     "Permission denied"},
    {"MakesAFile", "open('FRESH', 'x').write('x')\nreturn x", Outcome::failed, "not permitted"},
    {"RenamesAFile", "import os\nos.rename('VICTIM', 'FRESH')\nreturn x", Outcome::failed,
     "not permitted"},
    {"MakesALink", "import os\nos.link('VICTIM', 'FRESH')\nreturn x", Outcome::failed,
     "not permitted"},
    {"MakesAFolder", "import os\nos.mkdir('FRESH')\nreturn x", Outcome::failed, "not permitted"},
    {"ChangesRights", "import os\nos.chmod('VICTIM', 0)\nreturn x", Outcome::failed,
     "not permitted"},
    {"Truncates", "import os\nos.truncate('VICTIM', 0)\nreturn x", Outcome::failed,
     "not permitted"},
    {"OpensASocket", "import socket\nsocket.socket()\nreturn x", Outcome::failed, "not permitted"},
    {"Forks", "import os\nos.fork()\nreturn x", Outcome::failed, "temporarily unavailable"},
    {"StartsAProgram", "import subprocess\nsubprocess.run(['true'])\nreturn x", Outcome::failed,
     "temporarily unavailable"},
    {"BecomesAProgram", "import os\nos.execv('/bin/true', ['true'])\nreturn x", Outcome::failed,
     "not permitted"},
    {"KillsItsParent", "import os\nos.kill(os.getppid(), 9)\nreturn x", Outcome::failed,
     "not permitted"},
    {"KillsEverybody", "import os\nos.kill(-1, 9)\nreturn x", Outcome::failed, "not permitted"},
    {"LiftsItsLimits",
     "import resource\nresource.prlimit(0, resource.RLIMIT_DATA, (-1, -1))\nreturn x",
     Outcome::failed, ""},
    {"ReadsOthersMemory", "open(f'/proc/{__import__(\"os\").getppid()}/mem', 'r+b')\nreturn x",
     Outcome::failed, "not permitted"},
    {"Allocates", "b = bytearray(100 << 30)\nreturn x", Outcome::out_of_memory, ""},
    {"AllocatesATensor", "return torch.ones(100 << 28) + x", Outcome::out_of_memory, ""},
    {"MapsSharedMemory", "import mmap\nm = mmap.mmap(-1, 100 << 30)\nreturn x",
     Outcome::out_of_memory, ""},
    {"FillsAFileInMemory",
     "import os\nf = os.memfd_create('x')\nos.ftruncate(f, 100 << 30)\nreturn x", Outcome::died,
     "SIGXFSZ"},
    {"EndsItsProcess", "import os\nos._exit(0)", Outcome::died, "exited with 0"},
    {"Exits", "import sys\nsys.exit(0)", Outcome::failed, "SystemExit"},
    {"ReadsFromNull", "import ctypes\nctypes.string_at(0)\nreturn x", Outcome::died, "SIGSEGV"},
    {"CallsItself", "return run(x)", Outcome::failed, "RecursionError"},
    {"ReturnsAnythingElse", "return object()", Outcome::failed, "returned a object"},
};

class Hostiles : public EvaluatorInPython, public ::testing::WithParamInterface<Hostile> {};

TEST_P(Hostiles, HarmNothingAndFail) {
  const Hostile& hostile = GetParam();
  const fs::path folder = fs::path(::testing::TempDir()) / (std::string("kbench-") + hostile.name);
  fs::create_directories(folder);
  const fs::path victim = folder / "victim", fresh = folder / "fresh";
  std::ofstream(victim) << "mine";
  std::string body = hostile.body;
  const auto fill = [&body](const std::string& word, const std::string& value) {
    if (const auto at = body.find(word); at != std::string::npos)
      body.replace(at, word.size(), value);
  };
  fill("VICTIM", victim);
  fill("FRESH", fresh);
  const ReferenceAnswer answer = evaluate(of_body(body));
  EXPECT_EQ(answer.outcome, hostile.outcome) << answer.message;
  EXPECT_NE(answer.message.find(hostile.says), std::string::npos) << answer.message;
  EXPECT_EQ(fs::file_size(victim), 4U);
  EXPECT_EQ(fs::status(victim).permissions() & fs::perms::owner_read, fs::perms::owner_read);
  EXPECT_FALSE(fs::exists(fresh));
  expect_still_right();
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(EvaluatorInPython, Hostiles, ::testing::ValuesIn(hostile),
                         [](const auto& info) { return info.param.name; });

TEST_F(Automatic, AsksPythonForTheRest) {
  const ReferenceAnswer compiled = evaluate(add_case());
  EXPECT_EQ(compiled.evaluator, Evaluator::libtorch);
  const ReferenceAnswer answer = evaluate(of_body("try:\n    return x + 1\nfinally:\n    pass"));
  if (answer.outcome == Outcome::unsupported) {  // no Python: both reasons are said
    EXPECT_NE(answer.message.find("compiler"), std::string::npos) << answer.message;
    EXPECT_NE(answer.message.find("Python"), std::string::npos) << answer.message;
    return;
  }
  EXPECT_EQ(answer.evaluator, Evaluator::python);
  EXPECT_EQ(values<float>(answer.outputs.at(0)), (std::vector<float>{2, 3, 4, 5}));
}

// LibTorch's compiler would take the truth of 0.25 from its whole part.
TEST_F(Automatic, TheTruthOfAnItemIsPythons) {
  const Case c = case_of(
      "def run(x):\n    t = x[0].item()\n    k = t or 7.0\n    return x * k if t else x * 0\n",
      {0.25, 4});
  const ReferenceAnswer answer = evaluate(c);
  if (answer.outcome == Outcome::unsupported) GTEST_SKIP() << answer.message;
  EXPECT_EQ(answer.evaluator, Evaluator::python);
  EXPECT_EQ(values<float>(answer.outputs.at(0)), (std::vector<float>{0.0625, 1}));
}

// LibTorch's operator for a product in place rounds the number to the tensor's dtype first.
TEST_F(Automatic, AFactorInPlaceStaysADouble) {
  const std::vector<double> given{1.9150390625, 0.333, -2.25, 7.125};
  std::vector<std::vector<float>> found;
  for (const char* statement : {"y *= 0.1", "y.mul_(0.1)", "y = y * 0.1"}) {
    Case c(std::string("def run(x):\n    y = x.clone()\n    ") + statement +
           "\n    return y.float()\n");
    c.tensor("x", DType::float16, {4}, stored(DType::float16, given)).output("y").seal();
    const ReferenceAnswer answer = evaluate(c);
    found.push_back(values<float>(answer.outputs.at(0)));
  }
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], found[2]);
  EXPECT_EQ(found[2][0], 0.1915283203125F);
}

// Gradients are there where the text speaks of them.
TEST_F(Automatic, AReferenceMayDifferentiate) {
  const Case c = case_of(
      "def run(x):\n    y = x.clone().requires_grad_(True)\n    (y ** 3).sum().backward()\n"
      "    return y.grad\n",
      {1, 2});
  const ReferenceAnswer answer = evaluate(c);
  if (answer.outcome == Outcome::unsupported) GTEST_SKIP() << answer.message;
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(values<float>(answer.outputs.at(0)), (std::vector<float>{3, 12}));
}

// LibTorch rounds the quotient of floats before it takes its whole part; tensors and integers stay.
TEST_F(Automatic, DivisionOfFloatsIsPythons) {
  for (const auto& [expression, value] :
       {std::pair("a // 0.1", 49.0F), std::pair("a % 0.1", 0.1F)}) {
    Case c(std::string("def run(x, a):\n    return x * (") + expression + ")\n");
    c.floats("x", {1}).scalar("a", DType::float32, 5.0).output("y").seal();
    const ReferenceAnswer answer = evaluate(c);
    if (answer.outcome == Outcome::unsupported) GTEST_SKIP() << answer.message;
    EXPECT_EQ(answer.evaluator, Evaluator::python);
    EXPECT_EQ(values<float>(answer.outputs.at(0)), (std::vector<float>{value}));
  }
  Case c("def run(x, n):\n    return x // 2 + x % 2 + n // 2 + n % 2\n");
  c.floats("x", {1}).scalar("n", DType::int64, std::int64_t{5}).output("y").seal();
  EXPECT_EQ(evaluate(c).evaluator, Evaluator::libtorch);
}

}  // namespace
}  // namespace kbench
