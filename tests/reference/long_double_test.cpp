// Double answers beside ones written by hand in long double: within 1e-12 of the condition
// estimate.
#include <gtest/gtest.h>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

using Real = long double;

class LongDouble : public ExactTest {
 protected:
  // `conditions`: by how much each element may be off times 1e12; empty: the evaluator's own
  // condition estimate.
  static void expect(const Case& c, const std::vector<Real>& wanted,
                     const std::vector<Real>& conditions = {}) {
    for (const EvaluatorChoice choice : both_evaluators) {
      const ReferenceAnswer answer = evaluate(choice, c);
      ASSERT_EQ(answer.outcome, Outcome::ok) << answer.message;
      ASSERT_TRUE(answer.exact.has_value()) << answer.exact_absent;
      const ExactTensor& got = answer.exact->outputs.at(0);
      ASSERT_EQ(got.values.size(), wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Real condition = conditions.empty() ? Real(got.condition[i]) : conditions[i];
        EXPECT_LE(std::fabs(got.values[i] - wanted[i]), 1e-12L * condition)
            << name_of(choice) << " at " << i;
      }
    }
  }
};

TEST_F(LongDouble, Gemm) {
  constexpr std::size_t m = 16, n = 24, k = 512;
  const auto a = rounded(DType::bfloat16, numbers(m * k, 1));
  const auto b = rounded(DType::bfloat16, numbers(n * k, 2));
  std::vector<Real> wanted(m * n), conditions(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < k; ++l) {
        const Real term = Real(a[i * k + l]) * b[j * k + l];
        wanted[i * n + j] += term;
        conditions[i * n + j] += std::fabs(term);
      }
    }
  }
  Case c("import torch\ndef run(a, b):\n    return torch.matmul(a, b.T)\n");
  c.tensor("a", DType::bfloat16, {m, k}, stored(DType::bfloat16, a));
  c.tensor("b", DType::bfloat16, {n, k}, stored(DType::bfloat16, b));
  c.output("y", DType::bfloat16).seal();
  expect(c, wanted, conditions);
}

TEST_F(LongDouble, Rmsnorm) {
  constexpr std::size_t rows = 8, n = 256;
  const auto x = rounded(DType::bfloat16, numbers(rows * n, 3));
  const auto w = rounded(DType::bfloat16, numbers(n, 4));
  std::vector<Real> wanted(rows * n);
  for (std::size_t i = 0; i < rows; ++i) {
    Real squares = 0;
    for (std::size_t j = 0; j < n; ++j) squares += Real(x[i * n + j]) * x[i * n + j];
    const Real r = 1 / std::sqrt(squares / n + Real(1e-6));
    for (std::size_t j = 0; j < n; ++j) wanted[i * n + j] = x[i * n + j] * r * w[j];
  }
  Case c(
      "import torch\ndef run(x, w):\n    f = x.float()\n"
      "    r = torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
      "    return (f * r * w.float()).to(torch.bfloat16)\n");
  c.tensor("x", DType::bfloat16, {rows, n}, stored(DType::bfloat16, x));
  c.tensor("w", DType::bfloat16, {n}, stored(DType::bfloat16, w));
  c.output("y", DType::bfloat16).seal();
  expect(c, wanted);
}

std::vector<Real> softmax(const std::vector<Real>& x) {
  const Real largest = *std::max_element(x.begin(), x.end());
  std::vector<Real> out;
  Real sum = 0;
  for (const Real v : x) sum += out.emplace_back(std::exp(v - largest));
  for (Real& v : out) v /= sum;
  return out;
}

TEST_F(LongDouble, Softmax) {
  constexpr std::size_t rows = 8, n = 300;
  auto x = numbers(rows * n, 5);
  for (double& v : x) v *= 8;
  x = rounded(DType::float16, x);
  std::vector<Real> wanted;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = softmax({x.begin() + static_cast<std::ptrdiff_t>(i * n),
                              x.begin() + static_cast<std::ptrdiff_t>(i * n + n)});
    wanted.insert(wanted.end(), row.begin(), row.end());
  }
  Case c(
      "import torch\ndef run(x):\n"
      "    return torch.softmax(x.to(torch.float32), dim=-1).to(torch.float16)\n");
  c.tensor("x", DType::float16, {rows, n}, stored(DType::float16, x));
  c.output("y", DType::float16).seal();
  expect(c, wanted);
}

TEST_F(LongDouble, Attention) {
  constexpr std::size_t s = 24, d = 32;
  const auto q = rounded(DType::float16, numbers(s * d, 6));
  const auto k = rounded(DType::float16, numbers(s * d, 7));
  const auto v = rounded(DType::float16, numbers(s * d, 8));
  std::vector<Real> wanted(s * d);
  for (std::size_t i = 0; i < s; ++i) {
    std::vector<Real> scores(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t l = 0; l < d; ++l) scores[j] += Real(q[i * d + l]) * k[j * d + l];
      scores[j] *= Real(1 / std::sqrt(static_cast<double>(d)));
    }
    const auto p = softmax(scores);
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t l = 0; l < d; ++l) wanted[i * d + l] += p[j] * v[j * d + l];
    }
  }
  Case c(
      "import math\nimport torch\ndef run(q, k, v):\n"
      "    s = torch.matmul(q.float(), k.float().T) / math.sqrt(q.shape[-1])\n"
      "    mask = torch.tril(torch.ones(s.shape[0], s.shape[0], dtype=torch.bool))\n"
      "    s = s.masked_fill(~mask, float('-inf'))\n"
      "    return (torch.softmax(s, dim=-1) @ v.float()).to(torch.float16)\n");
  for (const auto& [name, values] : {std::pair{"q", q}, std::pair{"k", k}, std::pair{"v", v}}) {
    c.tensor(name, DType::float16, {s, d}, stored(DType::float16, values));
  }
  c.output("y", DType::float16).seal();
  expect(c, wanted);
}

}  // namespace
}  // namespace kbench
