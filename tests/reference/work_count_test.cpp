// Operations that a reference's call makes, and what it reads, by both evaluators.
#include <gtest/gtest.h>

#include "reference/exact_case.hpp"

namespace kbench {
namespace {

class WorkCounts : public ExactTest {
 protected:
  static void expect(const std::string& body, double wanted) {
    check(body, wanted, [](const ReferenceAnswer& answer) { return answer.watched.flops; });
  }
  static void expect_read(const std::string& body, double floats) {
    check(body, 4 * floats,
          [](const ReferenceAnswer& answer) { return answer.watched.bytes_read; });
  }

 private:
  // Checks run(x) with 4096 float32.
  template <class Figure>
  static void check(const std::string& body, double wanted, const Figure& figure) {
    for (const EvaluatorChoice choice : both_evaluators) {
      Case c("import torch\nimport torch.nn.functional as F\ndef run(x):\n" + body);
      c.tensor("x", DType::float32, {4096}, stored(DType::float32, numbers(4096)));
      c.output("y").seal();
      const ReferenceAnswer answer =
          evaluator(choice).evaluate(c.definition, c.problem, c.inputs, {.watch = true});
      ASSERT_EQ(answer.outcome, Outcome::ok) << body << answer.message;
      ASSERT_TRUE(figure(answer).has_value()) << body << name_of(choice);
      EXPECT_EQ(*figure(answer), wanted) << body << name_of(choice);
    }
  }
};

TEST_F(WorkCounts, OfProductsOfMatrices) {
  constexpr double gemm = 2.0 * 16 * 8 * 64;
  const std::string ab = "    a = x[:1024].view(16, 64)\n    b = x[:512].view(8, 64)\n    return ";
  expect(ab + "a @ b.T\n", gemm);
  expect(ab + "torch.matmul(a, b.t())\n", gemm);
  expect(ab + "F.linear(a, b)\n", gemm);
  expect(ab + "torch.addmm(a[:, :8], a, b.T)\n", gemm);
  expect(ab + "torch.matmul(a.view(2, 8, 64), b.T)\n", gemm);
  expect(ab + "torch.bmm(a.view(2, 8, 64), a.view(2, 64, 8))\n", 2.0 * 2 * 8 * 8 * 64);
  expect(ab + "torch.mv(a, b[0])\n", 2.0 * 16 * 64);
}

TEST_F(WorkCounts, OfContractions) {
  const std::string ab = "    a = x.view(4, 16, 64)\n    b = x.view(4, 64, 16)\n    return ";
  expect(ab + "torch.einsum('bik,bkj->bij', a, b)\n", 2.0 * 4 * 16 * 16 * 64);
  expect(ab + "torch.einsum('bik,ckj->bcij', a, b)\n", 2.0 * 4 * 4 * 16 * 16 * 64);
  expect(ab + "torch.einsum('bik,bik->bi', a, a)\n", 2.0 * 4 * 16 * 64);
}

TEST_F(WorkCounts, OfConvolutions) {
  const std::string xw =
      "    i = x.view(1, 4, 32, 32)\n    w = x[:4 * 8 * 9].view(8, 4, 3, 3)\n    return ";
  expect(xw + "F.conv2d(i, w, padding=1)\n", 2.0 * 8 * 32 * 32 * 4 * 9);
  expect(xw + "F.conv2d(i, w, stride=2, padding=1)\n", 2.0 * 8 * 16 * 16 * 4 * 9);
  expect(xw + "F.conv2d(i, x[:36].view(4, 1, 3, 3), padding=1, groups=4)\n", 2.0 * 4 * 32 * 32 * 9);
}

TEST_F(WorkCounts, OfAttention) {
  // q·kᵀ and p·v: 2·heads·rows·columns·(d + d)
  expect("    q = x.view(1, 4, 16, 64)\n    return F.scaled_dot_product_attention(q, q, q)\n",
         2.0 * 4 * 16 * 16 * (64 + 64));
}

TEST_F(WorkCounts, OfElementsAndReductions) {
  expect("    return x * 2 + x\n", 2 * 4096);
  expect("    return x.view(64, 64).sum(-1)\n", 4096);
  expect("    y = x.clone()\n    y += 1\n    return y.to(torch.float16)\n", 4096);
  expect("    return x.view(64, 64).t().contiguous()\n", 0);
}

TEST_F(WorkCounts, ReadsWhatItUses) {
  expect_read("    return x * 2 + x\n", 4096);
  expect_read("    return x[:100] + x[50:150]\n", 150);
  expect_read("    y = x[::2]\n    return y.view(32, 64).t() * y[0]\n", 2048);
  expect_read("    return x[:8].unsqueeze(1).expand(8, 64) + 1\n", 8);
  expect_read("    return torch.zeros_like(x)\n", 0);
  expect_read("    return torch.cat([x[:10], x[4000:]]).sum()\n", 10 + 96);
}

TEST_F(WorkCounts, ReadsOfACopyWhatIsUsedOfIt) {
  expect_read("    y = x.to(torch.float64)\n    return (y[10:20] * 2).to(torch.float32)\n", 10);
  expect_read("    y = x[100:].clone().view(-1, 4)\n    return y[0].sum() + y[1].sum()\n", 8);
  expect_read("    return x.clone()\n", 4096);
  expect_read("    return x.view(64, 64)[:2]\n", 128);
  expect_read("    return x.view(64, 64).t().contiguous()[0] + 1\n", 4096);  // makes it anew
}

TEST_F(WorkCounts, ReadsWhatAnIndexPicks) {
  const std::string pages = "    p = x.view(64, 4, 16)\n    i = torch.tensor([3, 5, 3])\n    ";
  expect_read(pages + "return p[i] + 1\n", 128);
  expect_read(pages + "return p.to(torch.float64)[i, 1].sum().to(torch.float32)\n", 32);
  expect_read(pages + "return torch.index_select(p, 0, i).sum()\n", 128);
  expect_read(pages + "return F.embedding(i, x.view(64, 64))\n", 128);
  expect_read(pages + "return torch.gather(x.view(64, 64), 0, i.view(1, 3))\n", 3);
  expect_read(pages + "y = p[1:][i[:2]]\n    return y.sum() + p[4].sum()\n", 128);
}

}  // namespace
}  // namespace kbench
