// Vector-Jacobian products of references, beside closed forms and differences.
#include <gtest/gtest.h>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

class Gradients : public ExactTest {
 protected:
  struct Cotangent {
    std::vector<std::uint8_t> bytes;
    NamedTensor tensor;
  };
  static Cotangent cotangent(const std::string& name, std::vector<std::int64_t> shape,
                             const std::vector<double>& values) {
    Cotangent out{stored(DType::float32, values), {}};
    out.tensor = {name,
                  {DType::float32, std::move(shape),
                   reinterpret_cast<const std::byte*>(out.bytes.data()), out.bytes.size()}};
    return out;
  }
  static GradientAnswer gradient(EvaluatorChoice choice, const Case& c, const Cotangent& weight,
                                 Arithmetic arithmetic) {
    return evaluator(choice).gradient(c.definition, c.problem, c.inputs,
                                      std::span(&weight.tensor, 1), arithmetic);
  }
  static std::vector<double> exact_run(const Case& c) {
    return doubles(evaluate(EvaluatorChoice::libtorch, c, 0).exact.value().outputs.at(0).values);
  }
};

TEST_F(Gradients, OfAProductOfMatrices) {
  constexpr std::size_t m = 3, k = 5, n = 4;
  const auto a = rounded(DType::float32, numbers(m * k, 1));
  const auto b = rounded(DType::float32, numbers(k * n, 2));
  const auto g = rounded(DType::float32, numbers(m * n, 3));
  std::vector<double> by_a(m * k), by_b(k * n);  // g·bᵀ and aᵀ·g
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < k; ++l) {
        by_a[i * k + l] += g[i * n + j] * b[l * n + j];
        by_b[l * n + j] += a[i * k + l] * g[i * n + j];
      }
    }
  }
  Case c(
      "import torch\n\n@torch.no_grad()\ndef run(a, b, unused, i):\n"
      "    with torch.no_grad():\n        y = a @ b\n    return y\n");
  c.tensor("a", DType::float32, {m, k}, stored(DType::float32, a));
  c.tensor("b", DType::float32, {k, n}, stored(DType::float32, b));
  c.floats("unused", {1, 2}).tensor<std::int64_t>("i", DType::int64, {2}, {0, 1});
  c.output("y").seal();
  const Cotangent weight = cotangent("y", {m, n}, g);
  for (const EvaluatorChoice choice : both_evaluators) {
    const GradientAnswer exact = gradient(choice, c, weight, Arithmetic::exact);
    const GradientAnswer native = gradient(choice, c, weight, Arithmetic::native);
    for (const GradientAnswer* answer : {&exact, &native}) {
      ASSERT_EQ(answer->outcome, Outcome::ok) << name_of(choice) << ": " << answer->message;
      ASSERT_EQ(answer->gradients.size(), 3U);
      EXPECT_EQ(answer->gradients[0].input, "a");
      EXPECT_FALSE(answer->gradients[1].is_unused);
      EXPECT_TRUE(answer->gradients[2].is_unused);
    }
    for (std::size_t i = 0; i < by_a.size(); ++i) {
      EXPECT_NEAR(exact.gradients[0].exact.values[i], by_a[i], 1e-14);
      EXPECT_NEAR(doubles(native.gradients[0].native)[i], by_a[i], 1e-6);
    }
    for (std::size_t i = 0; i < by_b.size(); ++i) {
      EXPECT_NEAR(exact.gradients[1].exact.values[i], by_b[i], 1e-14);
    }
    EXPECT_EQ(doubles(native.gradients[2].native), (std::vector<double>{0, 0}));
    EXPECT_EQ(doubles(exact.gradients[2].exact.values), (std::vector<double>{0, 0}));
  }
}

constexpr const char* rmsnorm =
    "import torch\ndef run(x, w):\n    f = x.to(torch.float32)\n"
    "    r = torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
    "    return (f * r * w.to(torch.float32)).to(x.dtype)\n";

Case rmsnorm_case(const std::vector<double>& x, const std::vector<double>& w, DType dtype) {
  Case c(rmsnorm);
  const auto n = static_cast<std::int64_t>(w.size());
  c.tensor("x", dtype, {static_cast<std::int64_t>(x.size()) / n, n}, stored(dtype, x));
  c.tensor("w", dtype, {n}, stored(dtype, w)).output("y", dtype).seal();
  return c;
}

TEST_F(Gradients, OfRmsnorm) {
  constexpr std::size_t n = 8;
  const auto x = rounded(DType::bfloat16, numbers(2 * n, 1));
  const auto w = rounded(DType::bfloat16, numbers(n, 2));
  const auto g = rounded(DType::float32, numbers(2 * n, 3));
  const Case c = rmsnorm_case(x, w, DType::bfloat16);
  const Cotangent weight = cotangent("y", {2, n}, g);
  for (const EvaluatorChoice choice : both_evaluators) {
    const GradientAnswer answer = gradient(choice, c, weight, Arithmetic::exact);
    ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
    for (std::size_t row = 0; row < 2; ++row) {
      double squares = 0, dot = 0;
      for (std::size_t i = 0; i < n; ++i) squares += x[row * n + i] * x[row * n + i];
      const double r = 1 / std::sqrt(squares / n + 1e-6);
      for (std::size_t i = 0; i < n; ++i) dot += g[row * n + i] * w[i] * x[row * n + i];
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = row * n + i;
        const double wanted = r * g[at] * w[i] - x[at] * r * r * r * dot / n;
        EXPECT_NEAR(answer.gradients[0].exact.values[at], wanted, 1e-13);
      }
    }
  }
}

TEST_F(Gradients, AgreeWithDifferences) {
  constexpr std::size_t n = 6;
  const auto x = rounded(DType::float32, numbers(n, 4));
  const auto w = rounded(DType::float32, numbers(n, 5));
  const auto g = rounded(DType::float32, numbers(n, 6));
  const Case c = rmsnorm_case(x, w, DType::float32);
  const GradientAnswer answer =
      gradient(EvaluatorChoice::libtorch, c, cotangent("y", {1, n}, g), Arithmetic::exact);
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  for (std::size_t i = 0; i < n; ++i) {
    auto up = x, down = x;
    up[i] += 0x1p-10;
    down[i] -= 0x1p-10;
    up = rounded(DType::float32, up);
    down = rounded(DType::float32, down);
    const auto high = exact_run(rmsnorm_case(up, w, DType::float32));
    const auto low = exact_run(rmsnorm_case(down, w, DType::float32));
    double slope = 0;
    for (std::size_t k = 0; k < n; ++k) slope += g[k] * (high[k] - low[k]) / (up[i] - down[i]);
    EXPECT_NEAR(answer.gradients[0].exact.values[i], slope, 2e-5);
  }
}

TEST_F(Gradients, CotangentsOfAnotherShapeAreRefused) {
  const Case c = add_case();
  Cotangent weight = cotangent("z", {2}, {1, 2});
  const GradientAnswer answer = gradient(EvaluatorChoice::libtorch, c, weight, Arithmetic::native);
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_NE(answer.message.find("the cotangent of \"z\" has another shape"), std::string::npos)
      << answer.message;
}

// T5 of ej.md §6: the true values, which ejkernel's own test does not look at.
TEST_F(Gradients, T5OfAProductHasTheTrueValues) {
  Case c("import torch\ndef run(x, y):\n    return x @ y\n");
  c.tensor("x", DType::float32, {2, 2}, stored(DType::float32, {1, 2, 3, 4}));
  c.tensor("y", DType::float32, {2, 2}, stored(DType::float32, {5, 6, 7, 8}));
  c.output("z").seal();
  const Cotangent sum = cotangent("z", {2, 2}, {1, 1, 1, 1});  // the loss is the sum
  EXPECT_EQ(exact_run(c), (std::vector<double>{19, 22, 43, 50}));
  for (const Arithmetic arithmetic : {Arithmetic::exact, Arithmetic::native}) {
    const GradientAnswer answer = gradient(EvaluatorChoice::libtorch, c, sum, arithmetic);
    const auto values = [&](std::size_t i) {
      return arithmetic == Arithmetic::exact ? doubles(answer.gradients[i].exact.values)
                                             : doubles(answer.gradients[i].native);
    };
    EXPECT_EQ(values(0), (std::vector<double>{11, 15, 11, 15}));
    EXPECT_EQ(values(1), (std::vector<double>{4, 4, 6, 6}));
  }
}

// Perturbing x and the cotangent g of z = Σ_k x_k y_k alike moves dy_k = g x_k by √(g² x_k² + g²
// x_k²) = √2 |dy_k|, relative to the perturbation.
TEST_F(Gradients, ConditionIsThatOfInputsAndCotangents) {
  constexpr std::size_t n = 512;
  Case c("import torch\ndef run(x, y):\n    return (x * y).sum()\n");
  const auto x = rounded(DType::float32, numbers(n, 1));
  c.tensor("x", DType::float32, {n}, stored(DType::float32, x));
  c.tensor("y", DType::float32, {n}, stored(DType::float32, numbers(n, 2)));
  c.output("z").seal();
  const Cotangent weight = cotangent("z", {}, {3});
  const GradientAnswer answer =
      evaluator(EvaluatorChoice::libtorch)
          .gradient(c.definition, c.problem, c.inputs, std::span(&weight.tensor, 1),
                    {Arithmetic::exact, {.wanted = true}});
  ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
  ASSERT_GE(answer.perturbed_runs, 4);
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double relative = answer.gradients[1].exact.condition[i] / (3 * x[i]);
    squares += relative * relative;
  }
  // The cotangent is one number: over few runs its part is far from its mean.
  EXPECT_GT(std::sqrt(squares / n), 1.0);
  EXPECT_LT(std::sqrt(squares / n), 2.5);
}

TEST_F(Gradients, SlopesShowWhatAutogradDoesNotSee) {
  const auto slope_of = [](const char* reference) {
    Case c(reference);
    c.tensor("x", DType::float32, {16}, stored(DType::float32, numbers(16, 3))).output("y").seal();
    const Cotangent weight = cotangent("y", {16}, rounded(DType::float32, numbers(16, 4)));
    const GradientAnswer answer =
        evaluator(EvaluatorChoice::libtorch)
            .gradient(c.definition, c.problem, c.inputs, std::span(&weight.tensor, 1),
                      {Arithmetic::exact, {.wanted = true}});
    return answer.gradients.at(0).slope.value();
  };
  const Slope good = slope_of("import torch\ndef run(x):\n    return torch.sin(x) * x\n");
  EXPECT_NEAR(good.by_gradient, good.by_difference, 1e-6 * good.size);
  EXPECT_LT(good.noise, 1e-6 * good.size);
  const Slope detached =
      slope_of("import torch\ndef run(x):\n    return torch.sin(x).detach() * x\n");
  EXPECT_GT(std::fabs(detached.by_gradient - detached.by_difference), 0.1 * detached.size);
}

}  // namespace
}  // namespace kbench
