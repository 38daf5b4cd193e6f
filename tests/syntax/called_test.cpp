#include "syntax/called.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kbench::python {
namespace {

TEST(Calls, AreFoundByTheirNames) {
  const Calls calls("import torch\ny = torch.topk(x, 3)\nx . relu_ ()\nz = max(a)\n");
  EXPECT_TRUE(calls.attribute("topk"));
  EXPECT_TRUE(calls.attribute("relu"));
  EXPECT_FALSE(calls.attribute("max"));
  EXPECT_TRUE(calls.any("max"));
  EXPECT_TRUE(calls.any("topk"));
}

TEST(Calls, TextThatOnlyNamesOneIsNone) {
  const Calls calls("# torch.sort(x)\ns = 'torch.sort(x)'\nf = torch.sort\nargsort(x)\n");
  EXPECT_FALSE(calls.any("sort"));
  EXPECT_TRUE(calls.any("argsort"));
  EXPECT_FALSE(Calls("torch.sort(x").any("sort"));  // no Python
}

TEST(Calls, ProductsOfMatricesAreNoDecorators) {
  EXPECT_TRUE(Calls("y = a@b\n").multiplies_matrices());
  EXPECT_TRUE(Calls("y = (a\n     @ b)\n").multiplies_matrices());
  EXPECT_TRUE(Calls("a @= b\n").multiplies_matrices());
  EXPECT_FALSE(Calls("@f\ndef g():\n    @h\n    def i(): pass\n").multiplies_matrices());
}

bool copies(std::string_view body, const std::vector<std::string>& inputs = {"x", "ids"}) {
  const std::string text =
      "import torch\n\n\n@torch.no_grad()\ndef run(x, ids):\n" + std::string(body);
  return only_copies(text, inputs);
}

TEST(OnlyCopies, CopiesCastsAndShapes) {
  EXPECT_TRUE(copies("    return x\n"));
  EXPECT_TRUE(copies("    return x.clone()\n"));
  EXPECT_TRUE(copies("    \"\"\"y = x + 1\"\"\"\n    return x.to(torch.bfloat16)\n"));
  EXPECT_TRUE(copies("    n, m = x.shape\n    assert n * m > 4\n    return x.view(-1, m)\n"));
  EXPECT_TRUE(copies("    y = torch.empty_like(x)\n    y[:] = x\n    y[0:, ...].copy_(x)\n"));
  EXPECT_TRUE(copies("    return x.half(), ids.permute(*ids.shape[:0], 0, -1).contiguous()\n"));
}

TEST(OnlyCopies, NothingElse) {
  EXPECT_FALSE(copies("    return x * 1\n"));
  EXPECT_FALSE(copies("    return -x\n"));
  EXPECT_FALSE(copies("    return torch.relu(x)\n"));
  EXPECT_FALSE(copies("    return x.clamp_(0)\n"));
  EXPECT_FALSE(copies("    return x[ids]\n"));
  EXPECT_FALSE(copies("    return x if ids else x.clone()\n"));
  EXPECT_FALSE(copies("    return (\n"));
}

}  // namespace

}  // namespace kbench::python
