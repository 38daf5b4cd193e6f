// Quantisers to float8: honest programs beside a reference are right, whose codes may fall
// otherwise beside a border, and codes that are made wrongly are not.
#include <gtest/gtest.h>

#include "judge/beside_case.hpp"

namespace kbench {
namespace {

// An RMS norm that is quantised, by a scale of each row or by a given one.
struct Quantiser {
  std::string norm = "f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6) * w.float()";
  std::string scale = "y.abs().amax(-1, keepdim=True) / 448.0";
  std::string number = "y / scale";
  std::string code = "v.clamp(-448.0, 448.0).to(torch.float8_e4m3fn)";

  std::string text() const {
    return "import torch\n"
           "def less(v, q):\n"  // the next code towards zero where it was rounded away from it
           "    b = q.view(torch.int8)\n"
           "    b = b - (q.float().abs() > v.abs()).to(torch.int8)\n"
           "    return b.view(torch.float8_e4m3fn)\n"
           "def run(x, w, s):\n"
           "    f = x.float()\n"
           "    y = (" +
           norm + ").float()\n    scale = " + scale + "\n    v = (" + number +
           ").float()\n    return " + code + ", scale.float()\n";
  }
  Case as_case(DType dtype, std::uint64_t seed) const {
    constexpr std::int64_t rows = 64, width = 256;
    Case c(text());
    c.tensor("x", dtype, {rows, width}, stored(dtype, numbers(rows * width, seed)));
    c.tensor("w", dtype, {width}, stored(dtype, numbers(width, seed + 100)));
    c.tensor("s", DType::float32, {1, 1}, stored(DType::float32, {0.0123}));
    c.output("codes", DType::float8_e4m3fn).output("scale", DType::float32).seal();
    for (const BoundInput& input : c.inputs.values)
      c.problem.inputs.push_back({{input.name, input.tensor.dtype, false, input.tensor.shape}, {}});
    c.definition.inputs["x"].shape = {"M", "K"};
    c.definition.inputs["w"].shape = {"K"};
    c.definition.outputs["codes"].shape = {"M", "K"};
    return c;
  }
};

const std::string cut_off = "less(v, v.clamp(-448.0, 448.0).to(torch.float8_e4m3fn))";
const std::string two_bits =
    "v.clamp(-448.0, 448.0).to(torch.float8_e5m2).float().clamp(-448.0, 448.0)"
    ".to(torch.float8_e4m3fn)";
const std::string flushed =
    "torch.where(v.abs() < 0.0156, torch.zeros_like(v), v).to(torch.float8_e4m3fn)";

// References whose native answers leave the double ones, or that make codes on the way.
const Quantiser plain{},
    by_powers_of_two{.scale =
                         "torch.exp2(torch.ceil(torch.log2("
                         "y.abs().amax(-1, keepdim=True) / 448.0)))"},
    given{.scale = "s.expand(64, 1)"},
    rounds{.norm =
               "(f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6) * "
               "w.float()).to(torch.bfloat16)"},
    rounds_given{.norm = rounds.norm, .scale = given.scale},
    small{.scale = "s.expand(64, 1) * 1000"},  // a third of its codes are subnormal
    rounds_small{.norm = rounds.norm, .scale = small.scale};

class Float8Codes : public BesideTest {
 protected:
  // The scales are judged by themselves; this judges the codes.
  static void expect(const Quantiser& reference, const Quantiser& candidate, bool is_right,
                     std::initializer_list<DType> dtypes = {DType::float32, DType::bfloat16}) {
    for (const DType dtype : dtypes) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Case c = reference.as_case(dtype, seed), other = candidate.as_case(dtype, seed);
        const Verdict verdict = judge_beside(c, other, {"numbers"});
        EXPECT_EQ(verdict.status, is_right ? Status::passed : Status::incorrect_numerical)
            << info(dtype).name << " " << seed << ": " << verdict.detail << "\n"
            << reference.text() << candidate.text();
      }
    }
  }
};

Quantiser with_code(Quantiser one, const std::string& code) {
  one.code = code;
  return one;
}

Quantiser with_number(Quantiser one, const std::string& number) {
  one.number = number;
  return one;
}

Quantiser with_norm(Quantiser one, const std::string& norm) {
  one.norm = norm;
  return one;
}

TEST_F(Float8Codes, OtherArithmeticIsRight) {
  const std::string by_root =
      "f / torch.sqrt((f * f).sum(-1, keepdim=True) / 256 + 1e-6) * w.float()";
  const std::string late = "(f * w.float()) * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)";
  for (const Quantiser& reference : {plain, by_powers_of_two, given}) {
    expect(reference, reference, true);
    expect(reference, with_number(reference, "y * (1.0 / scale)"), true);
    expect(reference, with_norm(reference, by_root), true);
    expect(reference, with_norm(reference, late), true);
  }
}

TEST_F(Float8Codes, SixteenBitsBetweenAreRightWhereTheyComeInOrTheReferenceRoundsToThem) {
  for (const Quantiser& reference : {given, rounds_given}) {
    Quantiser between = reference;
    between.norm = rounds.norm;
    expect(reference, between, true, {DType::bfloat16});
    between.norm = given.norm;
    expect(reference, between, true, {DType::bfloat16});
    between.number = "y.to(torch.bfloat16) * (1.0 / scale).to(torch.bfloat16)";
    expect(reference, between, true, {DType::bfloat16});
  }
  expect(rounds_given, given, true, {DType::float32});
  expect(rounds_given, rounds_given, true, {DType::float32});
  expect(rounds, plain, true, {DType::bfloat16});
}

TEST_F(Float8Codes, WrongCodesAreNot) {
  for (const Quantiser& reference : {plain, by_powers_of_two, given, rounds_given}) {
    expect(reference, with_code(reference, cut_off), false);
    expect(reference, with_code(reference, two_bits), false);
    expect(reference, with_number(reference, "y / (1.02 * scale)"), false);
    expect(reference, with_number(reference, "y / (0.98 * scale)"), false);
  }
  for (const Quantiser& reference : {small, rounds_small}) {
    expect(reference, reference, true);
    expect(reference, with_code(reference, flushed), false);
  }
}

}  // namespace
}  // namespace kbench
