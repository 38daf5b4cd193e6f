#include "reference/evaluator.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "problem/tensor_view.hpp"

namespace kbench {
namespace {

using Outcome = ReferenceAnswer::Outcome;

const std::filesystem::path program = std::filesystem::path(KBENCH_BIN_DIR) / "kbench-torch";
constexpr std::size_t page = 4096;

// What evaluate() gets, built by hand.
struct Case {
  Definition definition;
  Problem problem;
  Inputs inputs;
  std::vector<std::pair<std::string, std::string>> bytes;  // of each tensor input

  explicit Case(std::string reference) { definition.reference = std::move(reference); }

  template <class T>
  Case& tensor(const std::string& name, DType dtype, std::vector<std::int64_t> shape,
               const std::vector<T>& values) {
    BoundInput input;
    input.name = name;
    input.tensor.dtype = dtype;
    input.tensor.shape = std::move(shape);
    input.tensor.bytes = values.size() * sizeof(T);
    bytes.emplace_back(
        name, std::string(reinterpret_cast<const char*>(values.data()), input.tensor.bytes));
    inputs.values.push_back(std::move(input));
    definition.inputs[name].shape = std::vector<std::string>{};
    definition.inputs[name].dtype = dtype;
    return *this;
  }
  Case& floats(const std::string& name, const std::vector<float>& values) {
    return tensor(name, DType::float32, {static_cast<std::int64_t>(values.size())}, values);
  }
  Case& scalar(const std::string& name, DType dtype, Scalar value) {
    BoundInput input;
    input.name = name;
    input.scalar = value;
    input.tensor.dtype = dtype;
    inputs.values.push_back(std::move(input));
    definition.inputs[name].dtype = dtype;
    return *this;
  }
  Case& output(const std::string& name, DType dtype = DType::float32) {
    problem.outputs.push_back({name, dtype, false, {}});
    definition.outputs[name].dtype = dtype;
    return *this;
  }
  Case& seal() {
    std::size_t size = 0;
    for (const auto& [name, text] : bytes) size += (text.size() + page - 1) / page * page;
    inputs.memory = SharedMemory("test inputs", size);
    std::size_t at = 0, next = 0;
    for (BoundInput& input : inputs.values) {
      if (input.scalar) continue;
      const std::string& text = bytes[next++].second;
      if (!text.empty()) std::memcpy(inputs.memory.data() + at, text.data(), text.size());
      input.offset = at;
      input.tensor.data = inputs.memory.data() + at;
      at += (text.size() + page - 1) / page * page;
    }
    inputs.memory.seal_for_others();
    return *this;
  }
};

Case add_case() {
  Case c("import torch\n\ndef run(x, y):\n    return x + y\n");
  c.floats("x", {1, 2, 3}).floats("y", {10, 20, 30}).output("z").seal();
  return c;
}

template <class T>
std::vector<T> values(const TensorView& view) {
  std::vector<T> out(view.bytes / sizeof(T));
  if (view.bytes > 0) std::memcpy(out.data(), view.data, view.bytes);
  return out;
}

class Evaluator : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!std::filesystem::exists(program)) return;
    ReferenceLimits limits;
    limits.seconds = 20;
    limits.bytes = std::uint64_t{1} << 30;
    shared = new ReferenceEvaluator(program, limits, 1);
  }
  static void TearDownTestSuite() {
    delete shared;
    shared = nullptr;
  }
  void SetUp() override {
    if (shared == nullptr) GTEST_SKIP() << "kbench-torch is not built (no LibTorch)";
  }
  static ReferenceAnswer evaluate(const Case& c, const ReferenceEffort& effort = {0, 0, 0, 0.0}) {
    return shared->evaluate(c.definition, c.problem, c.inputs, effort);
  }
  static void expect_still_right() {
    const ReferenceAnswer answer = evaluate(add_case());
    ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
    EXPECT_EQ(values<float>(answer.outputs.at(0)), (std::vector<float>{11, 22, 33}));
  }

  static ReferenceEvaluator* shared;
};

ReferenceEvaluator* Evaluator::shared = nullptr;

TEST_F(Evaluator, Adds) {
  const ReferenceAnswer answer = evaluate(add_case());
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  ASSERT_EQ(answer.outputs.size(), 1u);
  EXPECT_EQ(answer.outputs[0].dtype, DType::float32);
  EXPECT_EQ(answer.outputs[0].shape, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{11, 22, 33}));
  EXPECT_TRUE(answer.samples_ns.empty());
}

TEST_F(Evaluator, TupleOfOutputsAndScalars) {
  Case c(R"(import math
import torch

@torch.no_grad()
def run(x, scale, count, flag):
    y = x * scale
    if flag:
        y = y + math.sqrt(4.0)
    return y, y.to(torch.int64) * count, 0.5
)");
  c.floats("x", {1, 2}).scalar("scale", DType::float32, 3.0).scalar("count", DType::int32, 7);
  c.scalar("flag", DType::boolean, true);
  c.output("a").output("b", DType::int64).output("c", DType::bfloat16).seal();
  const ReferenceAnswer answer = evaluate(c);
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  ASSERT_EQ(answer.outputs.size(), 3u);
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{5, 8}));
  EXPECT_EQ(values<std::int64_t>(answer.outputs[1]), (std::vector<std::int64_t>{35, 56}));
  EXPECT_EQ(answer.outputs[2].dtype, DType::bfloat16);
  EXPECT_TRUE(answer.outputs[2].shape.empty());
  EXPECT_EQ(values<std::uint16_t>(answer.outputs[2]), (std::vector<std::uint16_t>{0x3F00}));
}

// An integer that the workload gives for a float parameter is a float to the reference.
TEST_F(Evaluator, ScalarTakesTheDeclaredType) {
  Case c("def run(s):\n    return s / 2\n");
  c.scalar("s", DType::float32, std::int64_t{3}).output("r").seal();
  const ReferenceAnswer answer = evaluate(c);
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{1.5f}));
}

TEST_F(Evaluator, DictIsReadInTheDefinitionsOrder) {
  Case c("def run(x):\n    return {\"lse\": x + 1, \"out\": x + 2}\n");
  c.floats("x", {1}).output("out").output("lse").seal();
  const ReferenceAnswer answer = evaluate(c);
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{3}));
  EXPECT_EQ(values<float>(answer.outputs[1]), (std::vector<float>{2}));
}

TEST_F(Evaluator, EveryDtypeComesBackAsItWent) {
  for (const DTypeInfo& row : dtypes()) {
    Case c("def run(x):\n    return x\n");
    std::vector<std::uint8_t> bytes(storage_bytes(row.dtype, 8));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::uint8_t>(row.dtype == DType::boolean ? i % 2 : 3 * i + 1);
    }
    c.tensor("x", row.dtype, {2, 4}, bytes).output("y", row.dtype).seal();
    const ReferenceAnswer answer = evaluate(c);
    ASSERT_EQ(answer.outcome, Outcome::ok) << row.name << ": " << answer.message;
    EXPECT_EQ(answer.outputs[0].dtype, row.dtype);
    EXPECT_EQ(answer.outputs[0].shape, (std::vector<std::int64_t>{2, 4})) << row.name;
    EXPECT_EQ(values<std::uint8_t>(answer.outputs[0]), bytes) << row.name;
  }
}

TEST_F(Evaluator, ViewsArriveContiguous) {
  Case c("def run(x):\n    return x.view(2, 3).t(), x[:0]\n");
  c.floats("x", {0, 1, 2, 3, 4, 5}).output("t").output("none").seal();
  const ReferenceAnswer answer = evaluate(c);
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(answer.outputs[0].shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(answer.outputs[1].shape, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(answer.outputs[1].bytes, 0u);
}

TEST_F(Evaluator, ChangedInputsStayInTheFork) {
  Case c("def run(x):\n    x.add_(1)\n    return x\n");
  c.floats("x", {1, 2}).output("y").seal();
  const ReferenceAnswer answer = evaluate(c, {2, 5, 100, 0.0});
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{2, 3}));
  EXPECT_EQ(answer.samples_ns.size(), 5u);
  EXPECT_EQ(values<float>(c.inputs.values[0].tensor), (std::vector<float>{1, 2}));
}

// A timed call that found the last call's leftovers would raise here.
TEST_F(Evaluator, TimedCallsGetTheInputsAnew) {
  Case c("def run(x):\n    assert bool((x == 1).all())\n    x.add_(1)\n    return x\n");
  c.floats("x", {1, 1}).output("y").seal();
  const ReferenceAnswer answer = evaluate(c, {1, 4, 100, 0.0});
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(answer.samples_ns.size(), 4u);
}

TEST_F(Evaluator, EffortSaysHowManyCallsAreTimed) {
  const Case c = add_case();
  EXPECT_EQ(evaluate(c, {0, 7, 100, 0.0}).samples_ns.size(), 7u);
  EXPECT_EQ(evaluate(c, {0, 0, 9, 1000.0}).samples_ns.size(), 9u);  // all of max_samples
  EXPECT_EQ(evaluate(c, {0, 0, 100, 0.0}).samples_ns.size(), 1u);   // the first is over the budget
  for (const double sample : evaluate(c, {0, 7, 100, 0.0}).samples_ns) EXPECT_GT(sample, 0.0);
}

TEST_F(Evaluator, UnsupportedConstructHasItsLine) {
  Case c(
      "import torch\n\ndef run(x):\n    # a comment\n    y = x + 1\n    z = x.no_such_thing(3)\n"
      "    return y\n");
  c.floats("x", {1}).output("y").seal();
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::unsupported);
  EXPECT_EQ(answer.line, 6);
  EXPECT_NE(answer.message.find("no_such_thing"), std::string::npos) << answer.message;
  expect_still_right();
}

TEST_F(Evaluator, UnsupportedStatementIsNamed) {
  Case c(
      "import torch\n\ndef run(x):\n    try:\n        return x\n    except ValueError:\n"
      "        return x\n");
  c.floats("x", {1}).output("y").seal();
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::unsupported);
  EXPECT_EQ(answer.line, 4);
  EXPECT_NE(answer.message.find("\"try\""), std::string::npos) << answer.message;
}

TEST_F(Evaluator, ModuleThatIsNotThere) {
  Case c("import numpy as np\ndef run(x):\n    return np.abs(x)\n");
  c.floats("x", {1}).output("y").seal();
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::unsupported);
  EXPECT_EQ(answer.line, 3);
  EXPECT_NE(answer.message.find("numpy"), std::string::npos) << answer.message;
}

TEST_F(Evaluator, CompileAlone) {
  EXPECT_EQ(shared->compile(add_case().definition).outcome, Outcome::ok);
  Case c("def run(x, y):\n    return x.nothing()\n");
  c.floats("x", {1}).floats("y", {1}).output("z").seal();
  const ReferenceAnswer answer = shared->compile(c.definition);
  EXPECT_EQ(answer.outcome, Outcome::unsupported);
  EXPECT_EQ(answer.line, 2);
}

TEST_F(Evaluator, WrongNumberOfArguments) {
  Case c("import torch\n\ndef run(x):\n    return x\n");
  c.floats("x", {1}).floats("y", {1}).output("z").seal();
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::unsupported);
  EXPECT_EQ(answer.line, 3);
  EXPECT_NE(answer.message.find("run() takes 1"), std::string::npos) << answer.message;
}

TEST_F(Evaluator, RaiseIsTheReferencesFailure) {
  Case c(
      "import torch\n\ndef run(x):\n    n = x.shape[0]\n    assert n == 4, f\"expected 4, got "
      "{n}\"\n"
      "    return x\n");
  c.floats("x", {1}).output("y").seal();
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.line, 5);
  EXPECT_NE(answer.message.find("expected 4, got 1"), std::string::npos) << answer.message;
  expect_still_right();
}

TEST_F(Evaluator, OperatorThatRefusesIsTheReferencesFailure) {
  Case c(
      "import torch\n\ndef helper(a, b):\n    return a @ b\n\ndef run(x):\n"
      "    return helper(x.view(1, 2), x.view(1, 2))\n");
  c.floats("x", {1, 2}).output("y").seal();
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.line, 4);
  EXPECT_NE(answer.message.find("cannot be multiplied"), std::string::npos) << answer.message;
  EXPECT_EQ(answer.message.find("TorchScript"), std::string::npos) << answer.message;
}

TEST_F(Evaluator, WrongNumberOfOutputs) {
  Case c("def run(x):\n    return x, x, x\n");
  c.floats("x", {1}).output("y").output("z").seal();
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.message, "run() returned 3 outputs, the Definition declares 2");
}

TEST_F(Evaluator, ReturnsNoOutput) {
  Case none("def run(x):\n    x.add_(1)\n");
  none.floats("x", {1}).output("y").seal();
  EXPECT_EQ(evaluate(none).message, "output \"y\" is None, not a tensor");
  Case wide("import torch\ndef run(x):\n    return x.to(torch.float64)\n");
  wide.floats("x", {1}).output("y").seal();
  const ReferenceAnswer answer = evaluate(wide);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.message, "output \"y\" is Double, which no Definition can declare");
  Case missing("def run(x):\n    return {\"a\": x}\n");
  missing.floats("x", {1}).output("y").seal();
  EXPECT_EQ(evaluate(missing).message, "run() returned a dict without \"y\"");
}

TEST_F(Evaluator, MemoryBombEndsAtItsLimit) {
  Case c(
      "import torch\n\ndef run(x):\n    parts = [x]\n    while True:\n"
      "        parts.append(torch.ones(1 << 24))\n    return torch.cat(parts)\n");
  c.floats("x", {1}).output("y").seal();
  EXPECT_EQ(evaluate(c).outcome, Outcome::out_of_memory);
  Case broad("import torch\n\ndef run(x):\n    return x.expand(1 << 40)\n");
  broad.floats("x", {1}).output("y").seal();
  EXPECT_EQ(evaluate(broad).outcome, Outcome::out_of_memory);
  expect_still_right();
}

TEST_F(Evaluator, EndlessLoopEndsAtItsLimit) {
  ReferenceLimits limits;
  limits.seconds = 0.5;
  ReferenceEvaluator impatient(program, limits, 1);
  Case c("def run(x):\n    while True:\n        x = x + 1\n    return x\n");
  c.floats("x", {1}).output("y").seal();
  EXPECT_EQ(impatient.evaluate(c.definition, c.problem, c.inputs, {}).outcome, Outcome::timeout);
  const Case add = add_case();
  const ReferenceAnswer answer = impatient.evaluate(add.definition, add.problem, add.inputs, {});
  EXPECT_EQ(answer.outcome, Outcome::ok) << answer.message;
}

TEST_F(Evaluator, EndlessRecursionIsRefused) {
  Case c("def f(x):\n    return f(x)\n\ndef run(x):\n    return f(x)\n");
  c.floats("x", {1}).output("y").seal();
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::unsupported);
  EXPECT_EQ(answer.line, 2);
  expect_still_right();
}

// The seed, and what a call of one reference leaves in its inputs, no other one finds.
TEST_F(Evaluator, RequestsShareNoState) {
  Case draw("import torch\n\ndef run(x):\n    x.add_(1)\n    return torch.rand(4) + x\n");
  draw.floats("x", {0, 0, 0, 0}).output("y").seal();
  const auto first = values<float>(evaluate(draw).outputs.at(0));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values<float>(evaluate(draw).outputs.at(0)), first);
}

TEST_F(Evaluator, TableAtModuleLevel) {
  Case c(
      "import torch\nSIZE = 2\nTABLE = torch.tensor([1.0, 2.0]) * SIZE\nNAMES = {\"a\": 3}\n\n"
      "def helper(i):\n    return TABLE[i]\n\n"
      "def run(x):\n    return helper(1) + TABLE + x * NAMES[\"a\"]\n");
  c.floats("x", {0, 1}).output("y").seal();
  const ReferenceAnswer answer = evaluate(c);
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{6, 11}));
}

// What LibTorch's compiler would take and get wrong.
TEST_F(Evaluator, PythonsMeaningNotTorchScripts) {
  Case c(
      "def run(n, f):\n    a = 2 ** n\n    b = f or 7.0\n    c = 0 < n < 3\n    d = -n // 2\n"
      "    e = -n % 4\n    return a, b, c, d, e\n");
  c.scalar("n", DType::int64, std::int64_t{5}).scalar("f", DType::float32, 0.0);
  c.output("a", DType::int64).output("b").output("c", DType::boolean);
  c.output("d", DType::int64).output("e", DType::int64).seal();
  const ReferenceAnswer answer = evaluate(c);
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(values<std::int64_t>(answer.outputs[0]), (std::vector<std::int64_t>{32}));
  EXPECT_EQ(values<float>(answer.outputs[1]), (std::vector<float>{7.0f}));
  EXPECT_EQ(values<std::uint8_t>(answer.outputs[2]), (std::vector<std::uint8_t>{0}));
  EXPECT_EQ(values<std::int64_t>(answer.outputs[3]), (std::vector<std::int64_t>{-3}));
  EXPECT_EQ(values<std::int64_t>(answer.outputs[4]), (std::vector<std::int64_t>{3}));
}

TEST_F(Evaluator, ViewAsAnotherDtype) {
  Case c("import torch\ndef run(x):\n    return (x + 0)[1:].view(torch.int32), x.view(3)\n");
  c.floats("x", {0, 1, 2}).output("y", DType::int32).output("z").seal();
  const ReferenceAnswer answer = evaluate(c);
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(values<std::int32_t>(answer.outputs[0]),
            (std::vector<std::int32_t>{0x3F800000, 0x40000000}));
}

TEST_F(Evaluator, InnerFunctionsAndDefaults) {
  Case c(
      "import torch\n\ndef scaled(x, factor=2.0, *, shift=None):\n    if shift is None:\n"
      "        shift = torch.zeros(1)\n    return x * factor + shift\n\n"
      "def run(x):\n    n = x.shape[0]\n    def inner(v):\n        return v * n\n"
      "    return scaled(inner(x), shift=x) + scaled(x)\n");
  c.floats("x", {1, 2}).output("y").seal();
  const ReferenceAnswer answer = evaluate(c);
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{7, 14}));
}

TEST_F(Evaluator, NoInputsAtAll) {
  Case c("import torch\ndef run():\n    return torch.arange(3)\n");
  c.output("y", DType::int64).seal();
  const ReferenceAnswer answer = evaluate(c);
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  EXPECT_EQ(values<std::int64_t>(answer.outputs[0]), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST_F(Evaluator, SaysItsVersion) { EXPECT_EQ(shared->torch_version().substr(0, 2), "2."); }

// The number of a process whose parent is this one and whose program is kbench-torch.
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

TEST_F(Evaluator, StartsAgainWhenItsServerIsGone) {
  delete shared;
  shared = new ReferenceEvaluator(program, {20, std::uint64_t{1} << 30}, 1);
  expect_still_right();
  const int server = server_of_this_process();
  ASSERT_GT(server, 0);
  ASSERT_EQ(::kill(server, SIGKILL), 0);
  expect_still_right();
}

TEST(EvaluatorStart, MissingProgramIsSaid) {
  EXPECT_THROW(ReferenceEvaluator("/no/such/kbench-torch", {}, 1), std::system_error);
}

}  // namespace
}  // namespace kbench
