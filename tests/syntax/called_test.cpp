#include "syntax/called.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kbench::python
