// A Definition's own check() of outputs, as kbench-torch runs it.
#include <cmath>

#include "reference/evaluator_case.hpp"

namespace kbench {
namespace {

using Floats = std::vector<float>;

TensorView view(const Floats& values) {
  return {DType::float32,
          {static_cast<std::int64_t>(values.size())},
          reinterpret_cast<const std::byte*>(values.data()),
          values.size() * sizeof(float)};
}

template <EvaluatorChoice choice>
class CheckTestWith : public EvaluatorTestWith<choice> {
 protected:
  // Calls check(x, y) of x = [1, 2, 3] and what a candidate has left for y.
  static CheckAnswer check(const std::string& body, const Floats& y = {1, 2, 3}) {
    Definition definition;
    definition.reference =
        "import torch\n\ndef run(x):\n    return x\n\ndef check(x, y):\n    " + body + "\n";
    const Floats x{1, 2, 3};
    const CheckArgument arguments[] = {{"x", std::nullopt, view(x)}, {"y", std::nullopt, view(y)}};
    return EvaluatorTestWith<choice>::shared->check(definition, arguments);
  }
  static std::string refusal(const std::string& body, const Floats& y = {1, 2, 3}) {
    const CheckAnswer answer = check(body, y);
    EXPECT_EQ(answer.outcome, Outcome::ok) << body << ": " << answer.message;
    return answer.refusal;
  }

  static void expect_residuals() {
    EXPECT_EQ(refusal("return (y - x).abs() / 0.5"), "");
    EXPECT_EQ(refusal("return (y - x).abs() / 0.5", {1, 2, 4}),
              "the residual is 2 times its tolerance; worst at [2]");
    EXPECT_EQ(refusal("return (y - x).abs()", {1, NAN, 3}), "the residual is not finite at [1]");
    EXPECT_EQ(refusal("return (y - x).abs()", {1, INFINITY, 3}),
              "the residual is not finite at [1]");
    EXPECT_EQ(refusal("return float(y[0]) / 2", {5, 2, 3}),
              "the residual is 2.5 times its tolerance");
    EXPECT_EQ(refusal("return (y[:0], y - x, y * 2)"),
              "residual 3 of 3 is 6 times its tolerance; worst at [2]");
    EXPECT_EQ(refusal("return {\"first\": y - x, \"second\": y}"),
              "\"second\" is 3 times its tolerance; worst at [2]");
    EXPECT_DOUBLE_EQ(check("return (y - x).abs() / 2", {1, 2, 4}).residual, 0.5);
    // A difference without abs() must not accept what is far below.
    EXPECT_EQ(refusal("return y - x", {1, -5, 3}),
              "the residual is 7 times its tolerance; worst at [1]");
    EXPECT_EQ(refusal("return {\"first\": (y - x, y * 2)}"),
              "residual 2 of 2 is 6 times its tolerance; worst at [2]");
    // Changes of its arguments are its own.
    EXPECT_EQ(refusal("y -= x\n    return y"), "");
  }

  static void expect_truths() {
    EXPECT_EQ(refusal("return bool((y >= x).all())"), "");
    EXPECT_EQ(refusal("return bool((y > x).all())"), "it is false");
    EXPECT_EQ(refusal("return y >= x", {1, 1, 1}), "it is false at [1]");
    EXPECT_EQ(refusal("return {\"sorted\": y[0] > y[1]}"), "\"sorted\" is false");
    EXPECT_EQ(check("return y >= x", {1, 1, 1}).residual, 0);
  }

  static void expect_assertions() {
    EXPECT_EQ(refusal("assert bool((y == x).all()), \"y is another\"\n    return True"), "");
    EXPECT_EQ(refusal("assert bool((y > x).all()), \"y is not above x\"\n    return True"),
              "y is not above x");
  }

  static void expect_message(const std::string& body, const std::string& message) {
    const CheckAnswer answer = check(body);
    EXPECT_EQ(answer.outcome, Outcome::failed) << body;
    EXPECT_EQ(answer.message.substr(0, message.size()), message) << body;
  }

  static void expect_failures() {
    const CheckAnswer raised =
        check("z = x\n    raise ValueError(\"no such thing\")\n    return z");
    EXPECT_EQ(raised.outcome, Outcome::failed);
    EXPECT_EQ(raised.line, 8);
    EXPECT_NE(raised.message.find("no such thing"), std::string::npos) << raised.message;
    EXPECT_EQ(check("return x @ y.view(1, 3)").outcome, Outcome::failed);
    expect_message("pass", "it returned None; right are bools, or residuals divided by their");
    expect_message("return \"good\"", "it returned a ");
    // A count of 1 would be within any tolerance, and so would a truth that was converted.
    expect_message("return (y != x).sum()", "it returned a tensor of Long;");
    expect_message("return int((y != x).sum())", "it returned a value of type Int;");
    expect_message("return (y == x).int()", "it returned a tensor of Int;");
    // Empty results accept nothing.
    expect_message("return ()", "it returned an empty tuple or list;");
  }
};

class Check : public CheckTestWith<EvaluatorChoice::automatic> {};
class CheckInPython : public CheckTestWith<EvaluatorChoice::python> {};
class CheckInEither : public CheckTestWith<EvaluatorChoice::automatic> {};

TEST_F(Check, ResidualsAreInTheirTolerances) { expect_residuals(); }
TEST_F(Check, TruthsAreRightOrWrong) { expect_truths(); }
TEST_F(Check, AssertionsSayWhatIsWrong) { expect_assertions(); }
TEST_F(Check, OtherErrorsAreItsOwn) { expect_failures(); }

TEST_F(CheckInPython, ResidualsAreInTheirTolerances) { expect_residuals(); }
TEST_F(CheckInPython, TruthsAreRightOrWrong) { expect_truths(); }
TEST_F(CheckInPython, AssertionsSayWhatIsWrong) {
  expect_assertions();
  EXPECT_EQ(refusal("assert y[0] > 1\n    return True"), "an assertion failed in line 7");
}
TEST_F(CheckInPython, OtherErrorsAreItsOwn) {
  expect_failures();
  expect_message("return {}", "it returned an empty dict;");
}

TEST_F(CheckInEither, PythonRunsWhatLibTorchDoesNotTake) {
  EXPECT_EQ(refusal("class Limit:\n        value = 2.0\n    return y / Limit.value"),
            "the residual is 1.5 times its tolerance; worst at [2]");
}

TEST_F(Check, DoubleAnswersAreFloat64) {
  Definition definition;
  definition.reference =
      "import torch\n\ndef run(x):\n    return x\n\ndef check(n, y, expected_y):\n"
      "    assert expected_y.dtype == torch.float64 and y.dtype == torch.float32\n"
      "    return (y - expected_y).abs() * 10.0 ** n\n";
  const Floats y{1, 2};
  const std::vector<double> r{1, 2 + 1e-9};
  TensorView exact = view(y);
  exact.data = reinterpret_cast<const std::byte*>(r.data());
  exact.bytes = r.size() * sizeof(double);
  const auto residual = [&](std::int64_t n) {
    TensorView number;
    number.dtype = DType::int32;
    const CheckArgument arguments[] = {{"n", Scalar(n), number},
                                       {"y", std::nullopt, view(y)},
                                       {"expected_y", std::nullopt, exact, true}};
    const CheckAnswer answer = shared->check(definition, arguments);
    EXPECT_EQ(answer.outcome, Outcome::ok) << answer.message;
    return answer.residual;
  };
  EXPECT_NEAR(residual(9), 1, 1e-6);
  EXPECT_NEAR(residual(10), 10, 1e-5);
}

}  // namespace
}  // namespace kbench
