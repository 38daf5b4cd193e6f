#include "problem/bind.hpp"

#include <gtest/gtest.h>

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

struct Bound {
  Diagnostics problems;
  std::optional<Problem> problem;

  explicit Bound(const std::string& workload) {
    problem = bind(parse<Definition>(gemm), parse<Workload>(workload), {"w.jsonl", 3, 1, "", ""},
                   problems);
  }
  std::string message() const { return problems.empty() ? "" : problems.items().front().message; }
};

TEST(Bind, ResolvesEveryShape) {
  const Bound b(
      R"({"axes": {"M": 6}, "inputs": {"s": {"type": "scalar", "value": 0.5}}, "uuid": "u"})");
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
  const Bound b(R"({"axes": {"M": 7}, "inputs": {}, "uuid": "u7"})");
  EXPECT_FALSE(b.problem.has_value());
  EXPECT_EQ(b.message(), "workload u7: constraint \"M % 2 == 0\" of gemm is violated: M = 7");
  EXPECT_EQ(b.problems.items().front().where.line, 3);
}

TEST(Bind, ReportsMissingAndContradictingAxes) {
  EXPECT_EQ(Bound(R"({"axes": {}, "inputs": {}, "uuid": "u"})").message(),
            "workload u: no value for the var axis M");
  EXPECT_EQ(Bound(R"({"axes": {"M": 2, "N": 5}, "inputs": {}, "uuid": "u"})").message(),
            "workload u: axis N is const 4, the workload says 5");
}

TEST(Bind, WarnsOfAnAxisThatTheDefinitionDoesNotHave) {
  const Bound b(R"({"axes": {"M": 2, "Q": 5}, "inputs": {}, "uuid": "u"})");
  EXPECT_TRUE(b.problem.has_value());
  EXPECT_EQ(b.message(), "workload u: gemm has no axis Q");
}

TEST(Bind, RefusesScalarsForTensorsAndTheReverse) {
  EXPECT_EQ(
      Bound(R"({"axes": {"M": 2}, "inputs": {"A": {"type": "scalar", "value": 1}}, "uuid": "u"})")
          .message(),
      "workload u: A is scalar but definition expects tensor");
  EXPECT_EQ(
      Bound(
          R"({"axes": {"M": 2}, "inputs": {"s": {"type": "safetensors", "path": "p", "tensor_key": "k"}}, "uuid": "u"})")
          .message(),
      "workload u: s is safetensors but definition expects scalar");
}

TEST(Bind, RefusesTensorsOfAbsurdSize) {
  const Bound b(R"({"axes": {"M": 4611686018427387904}, "inputs": {}, "uuid": "u"})");
  EXPECT_FALSE(b.problem.has_value());
  EXPECT_EQ(b.message(),
            "workload u: tensor A [4611686018427387904, 3] has more than 2^40 elements");
}

TEST(Bind, AZeroAxisMakesEmptyTensors) {
  const Bound b(R"({"axes": {"M": 0}, "inputs": {}, "uuid": "u"})");
  ASSERT_TRUE(b.problem.has_value()) << b.message();
  EXPECT_EQ(b.problem->outputs[0].shape, (Shape{0, 4}));
}

}  // namespace
}  // namespace kbench
