#include "reference/answers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "reference/evaluator_case.hpp"

namespace kbench {
namespace {

class Answers : public EvaluatorTest {};
class LibTorchAlone : public EvaluatorTestWith<EvaluatorChoice::libtorch> {};

TEST_F(Answers, Adds) {
  const ReferenceAnswer answer = evaluate_well(add_case());
  ASSERT_EQ(answer.outputs.size(), 1u);
  EXPECT_EQ(answer.outputs[0].dtype, DType::float32);
  EXPECT_EQ(answer.outputs[0].shape, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{11, 22, 33}));
  EXPECT_GT(answer.call_ns, 0);
}

TEST_F(Answers, TupleOfOutputsAndScalars) {
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
  const ReferenceAnswer answer = evaluate_well(c);
  ASSERT_EQ(answer.outputs.size(), 3u);
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{5, 8}));
  EXPECT_EQ(values<std::int64_t>(answer.outputs[1]), (std::vector<std::int64_t>{35, 56}));
  EXPECT_EQ(answer.outputs[2].dtype, DType::bfloat16);
  EXPECT_TRUE(answer.outputs[2].shape.empty());
  EXPECT_EQ(values<std::uint16_t>(answer.outputs[2]), (std::vector<std::uint16_t>{0x3F00}));
}

TEST_F(Answers, ScalarTakesTheDeclaredType) {
  Case c("def run(s):\n    return s / 2\n");
  c.scalar("s", DType::float32, std::int64_t{3}).output("r").seal();
  EXPECT_EQ(floats_of(c), (std::vector<float>{1.5f}));
}

TEST_F(Answers, DictIsReadInTheDefinitionsOrder) {
  Case c("def run(x):\n    return {\"lse\": x + 1, \"out\": x + 2}\n");
  c.floats("x", {1}).output("out").output("lse").seal();
  const ReferenceAnswer answer = evaluate_well(c);
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{3}));
  EXPECT_EQ(values<float>(answer.outputs[1]), (std::vector<float>{2}));
}

TEST_F(Answers, EveryDtypeComesBackAsItWent) {
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

TEST_F(Answers, ViewsArriveContiguous) {
  Case c("def run(x):\n    return x.view(2, 3).t(), x[:0]\n");
  c.floats("x", {0, 1, 2, 3, 4, 5}).output("t").output("none").seal();
  const ReferenceAnswer answer = evaluate_well(c);
  EXPECT_EQ(answer.outputs[0].shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(values<float>(answer.outputs[0]), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(answer.outputs[1].shape, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(answer.outputs[1].bytes, 0u);
}

TEST_F(LibTorchAlone, UnsupportedConstructHasItsLine) {
  const Case c = case_of(
      "import torch\n\ndef run(x):\n    # a comment\n    y = x + 1\n    z = x.no_such_thing(3)\n"
      "    return y\n");
  expect_end(c, Outcome::unsupported, 6, "no_such_thing");
  expect_still_right();
}

TEST_F(LibTorchAlone, UnsupportedStatementIsNamed) {
  const Case c = case_of("import torch\n\ndef run(x):\n    class A:\n        pass\n    return x\n");
  expect_end(c, Outcome::unsupported, 4, "class A:");
}

TEST_F(LibTorchAlone, ModuleThatIsNotThere) {
  const Case c = case_of("import numpy as np\ndef run(x):\n    return np.abs(x)\n");
  expect_end(c, Outcome::unsupported, 1, "numpy");
}

TEST_F(Answers, CompileAlone) {
  EXPECT_EQ(shared->compile(add_case().definition).outcome, Outcome::ok);
  Case c("def run(x, y):\n    return x.nothing()\n");
  c.floats("x", {1}).floats("y", {1}).output("z").seal();
  const ReferenceAnswer answer = shared->compile(c.definition);
  EXPECT_EQ(answer.outcome, Outcome::unsupported);
  EXPECT_EQ(answer.line, 2);
}

TEST_F(LibTorchAlone, WrongNumberOfArguments) {
  Case c("import torch\n\ndef run(x):\n    return x\n");
  c.floats("x", {1}).floats("y", {1}).output("z").seal();
  expect_end(c, Outcome::unsupported, 3, "run() takes 1");
}

TEST_F(Answers, WrongNumberOfOutputs) {
  Case c("def run(x):\n    return x, x, x\n");
  c.floats("x", {1}).output("y").output("z").seal();
  const ReferenceAnswer answer = evaluate(c);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.message, "run() returned 3 outputs, not 2: y, z");
}

TEST_F(Answers, ReturnsNoOutput) {
  const Case none = case_of("def run(x):\n    x.add_(1)\n");
  EXPECT_EQ(evaluate(none).message, "output \"y\" is None, not a tensor");
  const Case wide = case_of("import torch\ndef run(x):\n    return x.to(torch.float64)\n");
  const ReferenceAnswer answer = evaluate(wide);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.message, "output \"y\" is Double, which no Definition can declare");
  const Case missing = case_of("def run(x):\n    return {\"a\": x}\n");
  EXPECT_EQ(evaluate(missing).message, "run() returned a dict without \"y\"");
}

TEST_F(Answers, TableAtModuleLevel) {
  const Case c = case_of(
      "import torch\nSIZE = 2\nTABLE = torch.tensor([1.0, 2.0]) * SIZE\nNAMES = {\"a\": 3}\n\n"
      "def helper(i):\n    return TABLE[i]\n\n"
      "def run(x):\n    return helper(1) + TABLE + x * NAMES[\"a\"]\n",
      {0, 1});
  EXPECT_EQ(floats_of(c), (std::vector<float>{6, 11}));
}

TEST_F(Answers, PythonsMeaningNotTorchScripts) {
  Case c(
      "def run(n, f):\n    a = 2 ** n\n    b = f or 7.0\n    c = 0 < n < 3\n    d = -n // 2\n"
      "    e = -n % 4\n    return a, b, c, d, e\n");
  c.scalar("n", DType::int64, std::int64_t{5}).scalar("f", DType::float32, 0.0);
  c.output("a", DType::int64).output("b").output("c", DType::boolean);
  c.output("d", DType::int64).output("e", DType::int64).seal();
  const ReferenceAnswer answer = evaluate_well(c);
  EXPECT_EQ(values<std::int64_t>(answer.outputs[0]), (std::vector<std::int64_t>{32}));
  EXPECT_EQ(values<float>(answer.outputs[1]), (std::vector<float>{7.0f}));
  EXPECT_EQ(values<std::uint8_t>(answer.outputs[2]), (std::vector<std::uint8_t>{0}));
  EXPECT_EQ(values<std::int64_t>(answer.outputs[3]), (std::vector<std::int64_t>{-3}));
  EXPECT_EQ(values<std::int64_t>(answer.outputs[4]), (std::vector<std::int64_t>{3}));
}

TEST_F(Answers, LimitsOfDtypes) {
  // The dtype is written there, or known only when it runs.
  const Case c = case_of(
      "import torch\n\ndef run(x):\n    a = torch.finfo(torch.float16)\n"
      "    b = torch.finfo(x.dtype)\n    c = torch.iinfo(torch.int8)\n"
      "    return torch.tensor([a.max, a.min, b.eps, b.tiny, float(b.bits), float(c.min), "
      "float(c.max)])\n");
  EXPECT_EQ(floats_of(c), (std::vector<float>{65504, -65504, 0x1p-23F, 0x1p-126F, 32, -128, 127}));
  const Case wrong =
      case_of("import torch\n\ndef run(x):\n    return x * torch.finfo(torch.int32).max\n");
  EXPECT_NE(evaluate(wrong).message.find("floating point"), std::string::npos)
      << evaluate(wrong).message;
}

TEST_F(Answers, ViewAsAnotherDtype) {
  Case c("import torch\ndef run(x):\n    return (x + 0)[1:].view(torch.int32), x.view(3)\n");
  c.floats("x", {0, 1, 2}).output("y", DType::int32).output("z").seal();
  const ReferenceAnswer answer = evaluate_well(c);
  EXPECT_EQ(values<std::int32_t>(answer.outputs[0]),
            (std::vector<std::int32_t>{0x3F800000, 0x40000000}));
}

TEST_F(Answers, InnerFunctionsAndDefaults) {
  const Case c = case_of(
      "import torch\n\ndef scaled(x, factor=2.0, *, shift=None):\n    if shift is None:\n"
      "        shift = torch.zeros(1)\n    return x * factor + shift\n\n"
      "def run(x):\n    n = x.shape[0]\n    def inner(v):\n        return v * n\n"
      "    return scaled(inner(x), shift=x) + scaled(x)\n",
      {1, 2});
  EXPECT_EQ(floats_of(c), (std::vector<float>{7, 14}));
}

TEST_F(Answers, NoInputsAtAll) {
  Case c("import torch\ndef run():\n    return torch.arange(3)\n");
  c.output("y", DType::int64).seal();
  const ReferenceAnswer answer = evaluate_well(c);
  EXPECT_EQ(values<std::int64_t>(answer.outputs[0]), (std::vector<std::int64_t>{0, 1, 2}));
}

// The judge reads what kbench-torch says of its memory with suspicion.
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
