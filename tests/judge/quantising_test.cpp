// References that quantise inside are judged against their native answer.
#include <gtest/gtest.h>

#include "judge/output_standards.hpp"
#include "reference/exact_case.hpp"

namespace kbench {
namespace {

class Quantising : public ExactTest {
 protected:
  // run(x, w) with x [M, K] = [32, 256] and w [N, K] = [64, 256], both of `dtype`, gives y [M, N].
  static std::string judged_against(const std::string& text, DType dtype) {
    Case c("import math\nimport torch\nimport torch.nn.functional as F\n" + text);
    c.tensor("x", dtype, {32, 256}, stored(dtype, numbers(32 * 256, 1)));
    c.tensor("w", dtype, {64, 256}, stored(dtype, numbers(64 * 256, 2)));
    c.output("y", dtype).seal();
    for (const BoundInput& input : c.inputs.values) {
      c.problem.inputs.push_back({{input.name, dtype, false, input.tensor.shape}, {}});
    }
    c.problem.axes["M"] = 32;
    c.problem.axes["N"] = 64;
    c.problem.axes["K"] = 256;
    c.definition.inputs["x"].shape = {"M", "K"};
    c.definition.inputs["w"].shape = {"N", "K"};
    c.definition.outputs["y"].shape = {"M", "N"};
    const ReferenceAnswer answer = evaluate(EvaluatorChoice::libtorch, c);
    EXPECT_EQ(answer.outcome, Outcome::ok) << answer.message;
    const ExactRecord record =
        error_tolerances_of(c.definition, c.problem, c.inputs, answer).record;
    EXPECT_FALSE(record.absent.has_value()) << *record.absent << text;
    EXPECT_EQ(record.runs, 8);
    return record.judged_against;
  }
  static void expect(const std::string& text, const std::string& wanted) {
    expect(text, wanted, wanted);
  }
  static void expect(const std::string& text, const std::string& of_float32,
                     const std::string& of_16_bits) {
    EXPECT_EQ(judged_against(text, DType::float32), of_float32) << text;
    for (const DType dtype : {DType::float16, DType::bfloat16})
      EXPECT_EQ(judged_against(text, dtype), of_16_bits) << info(dtype).name << "\n" << text;
  }
};

const std::string product = "    return (q @ w.float().T).to(x.dtype)\n";

TEST_F(Quantising, Float8PerRow) {
  expect(
      "def run(x, w):\n    f = x.float()\n    s = f.abs().amax(-1, keepdim=True) / 448.0\n"
      "    q = (f / s).to(torch.float8_e4m3fn).float() * s\n" +
          product,
      "native");
}

TEST_F(Quantising, Float8InBlocksOf128) {
  expect(
      "def run(x, w):\n    f = x.float().view(32, 2, 128)\n"
      "    s = f.abs().amax(-1, keepdim=True).clamp(min=1e-4) / "
      "torch.finfo(torch.float8_e4m3fn).max\n"
      "    q = ((f / s).to(torch.float8_e4m3fn).to(torch.float32) * s).view(32, 256)\n" +
          product,
      "native");
}

TEST_F(Quantising, Float8OfBothOperands) {
  expect(
      "def run(x, w):\n    q = x.to(torch.float8_e5m2).float()\n"
      "    v = w.to(torch.float8_e5m2).float()\n    return (q @ v.T).to(x.dtype)\n",
      "native");
}

// Operands that solutions may round to 16 bits move few elements by a step, as the reference's own
// rounding does: what it says is within what the double answer allows.
TEST_F(Quantising, Int8PerRow) {
  expect(
      "def run(x, w):\n    f = x.float()\n    s = f.abs().amax(-1, keepdim=True) / 127.0\n"
      "    q = torch.round(f / s).clamp(-127, 127).to(torch.int8).float() * s\n" +
          product,
      "native", "exact");
}

TEST_F(Quantising, Int8OfTheWholeTensor) {
  expect(
      "def run(x, w):\n    f = x.float()\n    s = f.abs().max() / 127.0\n"
      "    q = (f / s).round().to(torch.int8).float() * s\n" +
          product,
      "native", "exact");
}

TEST_F(Quantising, Float4InBlocksOf16) {
  // e2m1 by a table, scales in e4m3.
  expect(
      "E2M1 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])\ndef run(x, w):\n"
      "    f = x.float().view(32, 16, 16)\n"
      "    s = (f.abs().amax(-1, keepdim=True) / 6.0).to(torch.float8_e4m3fn).float()\n"
      "    code = ((f / s).abs().unsqueeze(-1) - E2M1).abs().argmin(-1)\n"
      "    q = (E2M1[code] * torch.sign(f) * s).view(32, 256)\n" +
          product,
      "native");
}

TEST_F(Quantising, Float4InBlocksOf32) {
  // e2m1 by thresholds, scales that are powers of two.
  expect(
      "STEPS = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0])\n"
      "E2M1 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])\ndef run(x, w):\n"
      "    f = x.float().view(32, 8, 32)\n"
      "    s = torch.exp2(torch.floor(torch.log2(f.abs().amax(-1, keepdim=True))) - 2)\n"
      "    code = torch.bucketize((f / s).abs(), STEPS)\n"
      "    q = (E2M1[code] * torch.sign(f) * s).view(32, 256)\n" +
          product,
      "native", "exact");
}

TEST_F(Quantising, HonestOnesDoNot) {
  expect("def run(x, w):\n    return x @ w.T\n", "exact");
  expect("def run(x, w):\n    return (x.float() @ w.float().T).to(x.dtype)\n", "exact");
  expect(
      "def run(x, w):\n    f = x.float()\n"
      "    q = f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
      "    return (q * w[0].float()).to(x.dtype)\n",
      "exact");
  expect("def run(x, w):\n    return torch.softmax(x.float() * 4, dim=-1).to(x.dtype)\n", "exact");
  expect(
      "def run(x, w):\n    s = torch.softmax(x.float() @ w.float().T / 16.0, dim=-1)\n"
      "    return (s @ w.float()).to(x.dtype)\n",
      "exact");
  expect("def run(x, w):\n    return (F.silu(x.float()) * x.float()).to(x.dtype)\n", "exact");
}

TEST_F(Quantising, AnIntermediateOfTheOutputsDtypeIsNoQuantisation) {
  // Attention's weights are bfloat16 before the second product, which criterion K allows for.
  EXPECT_EQ(judged_against("def run(x, w):\n"
                           "    s = torch.softmax(x.float() @ w.float().T / 16.0, dim=-1)\n"
                           "    return (s.to(torch.bfloat16).float() @ w.float()).to(x.dtype)\n",
                           DType::bfloat16),
            "exact");
}

}  // namespace
}  // namespace kbench
