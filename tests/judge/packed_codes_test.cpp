// Codes of 4 bits packed in bytes, and their scales as codes: other honest programs are right,
// wrong ones are not. The programs are references themselves.
#include <gtest/gtest.h>

#include "judge/beside_case.hpp"

namespace kbench {
namespace {

// SiLU(gate)·up of x, quantised in blocks of 16: codes, two in a byte, and the scales' exponents.
struct Program {
  std::string silu = "(gate * torch.sigmoid(gate) * up)";
  std::string scale = "blocks.abs().amax(dim=-1) / 6.0";
  std::string number = "blocks / kept.unsqueeze(-1)";
  std::string code = "(f.abs().unsqueeze(-1) - values).abs().argmin(dim=-1)";
  std::string byte = "codes[..., 0::2] | (codes[..., 1::2] << 4)";

  std::string text() const {
    return "import torch\n"
           "def run(x):\n"
           "    gate = x[..., :256].to(torch.float32)\n"
           "    up = x[..., 256:].to(torch.float32)\n"
           "    blocks = " +
           silu + ".to(torch.float32).reshape(64, 16, 16)\n    scale = " + scale +
           "\n    exponent = torch.floor(torch.log2(scale))\n"
           "    kept = torch.exp2(exponent)\n"
           "    f = " +
           number +
           "\n    values = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])\n"
           "    codes = " +
           code +
           " | ((f < 0).to(torch.int64) << 3)\n"
           "    codes = codes.reshape(64, 256)\n"
           "    packed = (" +
           byte +
           ").to(torch.uint8)\n    return packed.view(torch.int8), exponent.to(torch.int8)\n";
  }
};

class PackedCodes : public BesideTest {
 protected:
  static Case of(const Program& program, DType dtype, std::uint64_t seed) {
    Case c(program.text());
    std::vector<double> x = numbers(std::size_t{64} * 512, seed);
    for (double& value : x) value *= 8;
    c.tensor("x", dtype, {64, 512}, stored(dtype, x));
    c.output("codes", DType::int8).output("scales", DType::int8).seal();
    c.problem.inputs.push_back({{"x", dtype, false, {64, 512}}, {}});
    c.definition.inputs["x"].shape = {"M", "K"};
    return c;
  }
  // Returns the rule's verdict on `candidate` beside the reference.
  static Verdict judge(const Program& reference, const Program& candidate, DType dtype,
                       std::uint64_t seed = 1) {
    const Case c = of(reference, dtype, seed), other = of(candidate, dtype, seed);
    // Nothing may differ where no number lies beside a border.
    return judge_beside(c, other, {"ties", "bits"});
  }
  static void expect(const Program& candidate, Status status, const Program& reference = {}) {
    for (const DType dtype : {DType::float32, DType::bfloat16}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Verdict verdict = judge(reference, candidate, dtype, seed);
        EXPECT_EQ(verdict.status, status)
            << info(dtype).name << " " << seed << ": " << verdict.detail;
      }
    }
  }
};

TEST_F(PackedCodes, OtherArithmeticIsRight) {
  expect({}, Status::passed);
  expect({.silu = "(gate / (1.0 + torch.exp(-gate)) * up)"}, Status::passed);
  expect({.silu = "(gate * up * torch.sigmoid(gate))"}, Status::passed);
  expect({.scale = "blocks.abs().amax(dim=-1) * (1.0 / 6.0)",
          .number = "blocks * (1.0 / kept.unsqueeze(-1))"},
         Status::passed);
}

TEST_F(PackedCodes, AProductThatIsRoundedFirstIsRightIfTheReferenceRoundsIt) {
  const Program rounds{.silu = "(gate * torch.sigmoid(gate) * up).to(torch.bfloat16)"};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Verdict does_not = judge(rounds, {}, DType::bfloat16, seed);
    EXPECT_EQ(does_not.status, Status::passed) << does_not.detail;
    const Verdict does = judge({}, rounds, DType::bfloat16, seed);
    EXPECT_EQ(does.status, Status::incorrect_numerical);
  }
}

TEST_F(PackedCodes, WrongOnesAreNot) {
  const Status wrong = Status::incorrect_numerical;
  expect({.byte = "codes[..., 1::2] | (codes[..., 0::2] << 4)"}, wrong);
  expect({.code = "((f.abs().unsqueeze(-1) >= values).sum(dim=-1) - 1)"}, wrong);  // cuts off
  expect({.scale = "blocks.abs().amax(dim=-1) / 5.9"}, wrong);
  expect({.scale = "blocks.amax(dim=-1) / 6.0"}, wrong);
  expect({.number = "blocks / scale.unsqueeze(-1)"}, wrong);  // takes the scale that is not stored
  expect({.silu = "(gate * torch.sigmoid(1.02 * gate) * up)"}, wrong);
}

// Codes of float4 in blocks of 16 with scales of float8, which the codes depend on.
struct BlocksOfFloat4 : BesideTest {
  static Case of(const std::string& number, const std::string& scale) {
    Case c(
        "import torch\n"
        "def pack(v):\n"
        "    a = v.abs()\n"
        "    code = (a > 0.25).long() + (a >= 0.75).long() + (a > 1.25).long()\n"
        "    code = code + (a >= 1.75).long() + (a > 2.5).long() + (a >= 3.5).long()\n"
        "    code = code + (a > 5.0).long() + 8 * (v < 0).long()\n"
        "    packed = code[:, 0::2] + 16 * code[:, 1::2]\n"
        "    return packed.to(torch.uint8).view(torch.float4_e2m1fn_x2)\n"
        "def run(x):\n"
        "    f = x.float().reshape(64, 32, 16)\n"
        "    scale = (f.abs().amax(-1) / 6.0).to(torch.float8_e4m3fn)\n"
        "    kept = " +
        scale + ".unsqueeze(-1)\n    v = (" + number +
        ").reshape(64, 512)\n    return pack(v), scale\n");
    c.tensor("x", DType::bfloat16, {64, 512},
             stored(DType::bfloat16, numbers(std::size_t{64} * 512, 7)));
    c.output("codes", DType::float4_e2m1).output("scales", DType::float8_e4m3fn).seal();
    c.problem.inputs.push_back({{"x", DType::bfloat16, false, {64, 512}}, {}});
    c.definition.inputs["x"].shape = {"M", "K"};
    return c;
  }
  static Verdict judge(const std::string& number, const std::string& scale = "scale.float()") {
    const Case c = of("f / kept", "scale.float()"), other = of(number, scale);
    return judge_beside(c, other, {"ties"});
  }
};

TEST_F(BlocksOfFloat4, ByAReciprocalIsRight) {
  const Verdict verdict = judge("f * (1.0 / kept)");
  EXPECT_EQ(verdict.status, Status::passed) << verdict.detail;
}

TEST_F(BlocksOfFloat4, ByAnotherScaleIsNot) {
  for (const char* scale : {"(f.abs().amax(-1) / 6.0)", "(scale.float() * 1.03)"}) {
    const Verdict verdict = judge("f / kept", scale);
    EXPECT_EQ(verdict.status, Status::incorrect_numerical) << scale;
  }
  EXPECT_EQ(judge("-f / kept").status, Status::incorrect_numerical);
}

}  // namespace
}  // namespace kbench
