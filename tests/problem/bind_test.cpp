#include "problem/bind.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "schema/read.hpp"

namespace kbench {
namespace {

constexpr const char* gemm = R"({"name": "gemm", "op_type": "gemm",
  "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 4}, "K": {"type": "const", "value": 3}},
  "inputs": {"A": {"shape": ["M", "K"], "dtype": "float16"}, "s": {"shape": null, "dtype": "float32"},
             "z": {"shape": [], "dtype": "int32"}},
  "outputs": {"C": {"shape": ["M", "N"], "dtype": "float16"}},
  "reference": "def run(A, s, z): return A", "constraints": ["M % 2 == 0", "z.item() == M"]})";

template <class Record>
Record parse(const std::string& text) {
  Diagnostics problems;
  auto record = read_text<Record>({"t", text}, {}, problems);
  EXPECT_TRUE(record.has_value()) << (problems.empty() ? "" : problems.items().front().message);
  return std::move(*record);
}

// A workload with these axes, its inputs random but for those said.
std::string workload(const std::string& axes, const std::string& A = R"({"type": "random"})",
                     const std::string& s = R"({"type": "random"})") {
  return R"({"axes": )" + axes + R"(, "inputs": {"A": )" + A + R"(, "s": )" + s +
         R"(, "z": {"type": "random"}}, "uuid": "u"})";
}

struct Bound {
  Diagnostics problems;
  std::optional<Problem> problem;

  explicit Bound(const std::string& workload, const std::string& definition = gemm) {
    const Source file{"w.jsonl",
                      "\n\n{\"definition\": \"gemm\", \"workload\": " + workload + "}\n"};
    problem =
        bind(parse<Definition>(definition), parse<Workload>(workload), Place(file, 3), problems);
  }
  const Diagnostic& said() const { return problems.items().at(0); }
  std::string message() const { return problems.empty() ? "" : said().message; }
  // Returns the text over the first message's caret.
  std::string at() const {
    return said().where.excerpt.substr(static_cast<std::size_t>(said().where.column - 1), 4);
  }
};

// The Definition above with another constraint.
std::string with_constraint(const std::string& constraint) {
  std::string text = gemm;
  const std::string old = "M % 2 == 0";
  return text.replace(text.find(old), old.size(), constraint);
}

TEST(Bind, ResolvesEveryShape) {
  const Bound b(
      workload(R"({"M": 6})", R"({"type": "random"})", R"({"type": "scalar", "value": 0.5})"));
  ASSERT_TRUE(b.problem.has_value()) << b.message();
  EXPECT_EQ(*b.problem->axes.find("M"), 6);
  EXPECT_EQ(*b.problem->axes.find("N"), 4);
  EXPECT_EQ(b.problem->inputs[0].tensor.shape, (Shape{6, 3}));
  EXPECT_TRUE(std::holds_alternative<RandomInput>(b.problem->inputs[0].source));
  EXPECT_TRUE(b.problem->inputs[1].tensor.is_scalar);
  EXPECT_FALSE(b.problem->inputs[2].tensor.is_scalar);
  EXPECT_TRUE(b.problem->inputs[2].tensor.shape.empty());
  EXPECT_EQ(b.problem->outputs[0].shape, (Shape{6, 4}));
  EXPECT_EQ(b.problem->open_constraints, (std::vector<std::string>{"z.item() == M"}));
}

TEST(Bind, NamesTheViolatedConstraintTheValuesAndTheWorkload) {
  const Bound b(workload(R"({"M": 7})"));
  EXPECT_FALSE(b.problem.has_value());
  EXPECT_EQ(b.message(), "workload u: constraint \"M % 2 == 0\" of gemm is violated: M = 7");
  EXPECT_EQ(b.said().where.line, 3);
  EXPECT_EQ(b.at(), "{\"M\"");
}

TEST(Bind, AConstraintWithoutAValueRefusesTheWorkload) {
  const Bound b(workload(R"({"M": 7})"), with_constraint("N % (M - 7) == 0"));
  EXPECT_FALSE(b.problem.has_value());
  EXPECT_EQ(b.message(),
            "workload u: constraint \"N % (M - 7) == 0\" of gemm has no value, division by zero: "
            "N = 4, M = 7");
}

TEST(Bind, WhatCannotBeComputedIsAWarning) {
  const Bound b(workload(R"({"M": 7})"), with_constraint("M / 2 == 3"));
  EXPECT_TRUE(b.problem.has_value());
  EXPECT_EQ(b.message(),
            "workload u: constraint \"M / 2 == 3\" of gemm is not checked, 7 / 2 is no integer; "
            "write // to round down: M = 7");
}

TEST(Bind, RefusesMoreAxesThanASolutionCanGet) {
  std::string nine = gemm;
  const std::string old = R"("shape": ["M", "N"])";
  ASSERT_NE(nine.find(old), std::string::npos);
  nine.replace(nine.find(old), old.size(),
               R"("shape": ["M", "M", "M", "M", "M", "M", "M", "M", "N"])");
  const Bound b(workload(R"({"M": 6})"), nine);
  EXPECT_FALSE(b.problem.has_value());
  EXPECT_EQ(b.message(), "workload u: \"C\" has 9 axes");
}

TEST(Bind, RefusesAxesThatTheDefinitionDoesNotHave) {
  const Bound near(workload(R"({"MM": 2})"));
  ASSERT_EQ(near.problems.items().size(), 1U);  // M is missing, too, but not said
  EXPECT_EQ(near.message(), "workload u: gemm has no axis \"MM\"");
  EXPECT_EQ(near.said().hint, "did you mean \"M\"?");
  EXPECT_EQ(near.at(), "\"MM\"");
  const Bound far(workload(R"({"M": 2, "batch": 5})"));
  EXPECT_FALSE(far.problem.has_value());
  EXPECT_EQ(far.said().hint, "axes are M, N, K");
}

TEST(Bind, RefusesConstAxesThatAreGiven) {
  EXPECT_EQ(Bound(workload(R"({"M": 2, "N": 5})")).message(),
            "workload u: axis \"N\" is const 4, the workload says 5");
  EXPECT_EQ(Bound(workload(R"({"M": 2, "N": 4})")).message(),
            "workload u: axis \"N\" is const and must not be given");
}

TEST(Bind, RefusesAVarAxisWithoutALength) {
  const Bound b(workload("{}"));
  EXPECT_EQ(b.message(), "workload u: axis \"M\" is missing");
  EXPECT_EQ(b.said().hint, "give its length: \"M\": 1");
}

TEST(Bind, RefusesInputsThatTheDefinitionDoesNotHave) {
  const Bound b(
      R"({"axes": {"M": 2}, "inputs": {"a": {}, "s": {}, "z": {}, "w": {}}, "uuid": "u"})");
  EXPECT_FALSE(b.problem.has_value());
  ASSERT_EQ(b.problems.items().size(), 2U);
  EXPECT_EQ(b.message(), "workload u: gemm has no input \"a\"");
  EXPECT_EQ(b.said().hint, "did you mean \"A\"?");
  EXPECT_EQ(b.at(), "\"a\":");
  EXPECT_EQ(b.problems.items()[1].message, "workload u: gemm has no input \"w\"");
  EXPECT_EQ(b.problems.items()[1].hint, "inputs are A, s, z");
}

TEST(Bind, RefusesMissingInputs) {
  const Bound b(R"({"axes": {"M": 2}, "inputs": {"z": {}}, "uuid": "u"})");
  EXPECT_FALSE(b.problem.has_value());
  ASSERT_EQ(b.problems.items().size(), 2U);
  EXPECT_EQ(b.message(), "workload u: input \"A\" is missing");
  EXPECT_EQ(b.said().hint, R"(random values: "A": {"type": "random"})");
  EXPECT_EQ(b.problems.items()[1].hint, R"(a number: "s": {"type": "scalar", "value": 1})");
}

TEST(Bind, RefusesScalarsForTensorsAndTheReverse) {
  const Bound scalar(workload(R"({"M": 2})", R"({"type": "scalar", "value": 1})"));
  EXPECT_EQ(scalar.message(), "workload u: A is scalar but definition expects tensor");
  EXPECT_EQ(scalar.at(), "{\"ty");
  const Bound tensor(workload(R"({"M": 2})", R"({"type": "random"})",
                              R"({"type": "safetensors", "path": "p", "tensor_key": "k"})"));
  EXPECT_EQ(tensor.message(), "workload u: s is safetensors but definition expects scalar");
}

TEST(Bind, RefusesTensorsOfAbsurdSize) {
  const Bound b(workload(R"({"M": 4611686018427387904})"));
  EXPECT_FALSE(b.problem.has_value());
  EXPECT_EQ(b.message(),
            "workload u: tensor A [4611686018427387904, 3] has more than 2^40 elements");
}

TEST(Bind, AZeroAxisMakesEmptyTensors) {
  const Bound b(workload(R"({"M": 0})"));
  ASSERT_TRUE(b.problem.has_value()) << b.message();
  EXPECT_EQ(b.problem->outputs[0].shape, (Shape{0, 4}));
}

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(BindScalar, TakesTheDeclaredKind) {
  EXPECT_EQ(bind_scalar(DType::float32, std::int64_t{2}), Scalar(2.0));
  EXPECT_EQ(bind_scalar(DType::float16, 0.1), Scalar(0.1));
  EXPECT_EQ(bind_scalar(DType::int32, std::int64_t{-5}), Scalar(std::int64_t{-5}));
  EXPECT_EQ(bind_scalar(DType::int64, 4.0), Scalar(std::int64_t{4}));
  EXPECT_EQ(bind_scalar(DType::boolean, true), Scalar(true));
  EXPECT_EQ(bind_scalar(DType::boolean, std::int64_t{0}), Scalar(false));
  EXPECT_EQ(bind_scalar(DType::float32, BigInteger{"100000000000000000000"}), Scalar(1e20));
}

TEST(BindScalar, OfAnIntegerThatTheDtypeCannotHoldIsNothing) {
  EXPECT_FALSE(bind_scalar(DType::int32, 2.5));
  EXPECT_FALSE(bind_scalar(DType::int8, std::int64_t{128}));
  EXPECT_TRUE(bind_scalar(DType::int8, std::int64_t{-128}));
  EXPECT_FALSE(bind_scalar(DType::int64, BigInteger{"99999999999999999999"}));
  EXPECT_FALSE(bind_scalar(DType::int64, std::nan("")));
  EXPECT_FALSE(bind_scalar(DType::boolean, std::int64_t{2}));
}

TEST(BindScalar, OfANumberThatTheDtypeCannotHoldIsNothing) {
  EXPECT_FALSE(bind_scalar(DType::float32, 1e39));
  EXPECT_FALSE(bind_scalar(DType::float32, -1e39));
  EXPECT_FALSE(bind_scalar(DType::float32, BigInteger{"1e400"}));
  EXPECT_FALSE(bind_scalar(DType::bfloat16, 3.4e38));
  EXPECT_FALSE(bind_scalar(DType::float16, std::int64_t{65520}));
  EXPECT_FALSE(bind_scalar(DType::float8_e4m3fn, 500.0));
  EXPECT_TRUE(bind_scalar(DType::float32, 3.4028235e38));  // printed so, rounded up
  EXPECT_TRUE(bind_scalar(DType::float16, std::int64_t{65519}));
  EXPECT_TRUE(bind_scalar(DType::float8_e4m3fn, 448.0));
}

TEST(BindScalar, InfinityThatIsWrittenIsHeld) {
  EXPECT_EQ(bind_scalar(DType::float32, -infinity), Scalar(-infinity));
  EXPECT_TRUE(bind_scalar(DType::float16, std::nan("")));
}

TEST(RangeText, SaysWhatADtypeHolds) {
  EXPECT_EQ(range_text(DType::int8), "int8 holds whole numbers from -128 to 127");
  EXPECT_EQ(range_text(DType::float16), "float16 holds numbers up to 65504");
  EXPECT_EQ(range_text(DType::boolean), "bool holds true and false");
}

TEST(TextOf, IsWhatWasWritten) {
  EXPECT_EQ(text_of(BigInteger{"1e400"}), "1e400");
  EXPECT_EQ(text_of(2.5), "2.5");
  EXPECT_EQ(text_of(true), "true");
}

}  // namespace

}  // namespace kbench
