#include "import/undefined_names.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

std::vector<std::string> undefined_in(std::string_view text) {
  std::vector<std::string> names;
  for (const UndefinedName& one : undefined_names(text)) names.push_back(one.name);
  return names;
}

TEST(UndefinedNames, HelpersAndModulesThatAreNotThere) {
  const std::string_view text = "import torch\ndef run(a):\n    return helper(a) / math.log(2)\n";
  const auto found = undefined_names(text);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "helper");
  EXPECT_EQ(text.substr(found[0].offset, 6), "helper");
  EXPECT_EQ(found[1].name, "math");
}

TEST(UndefinedNames, WhatIsDefinedAnywhereIsThere) {
  for (const std::string_view text :
       {"import torch.nn.functional as F\nF.silu(torch.ones(1))\n",
        "from math import log\nlog(2)\n", "from a.b import c\nc(2)\n",
        "def f(x):\n    return f(x.T)\n", "def run(a, *, b=1, **c):\n    a.x, b.x, c.get(1)\n",
        "g = lambda x: x.y\ng(1)\n", "for i, j in z:\n    i.x(j.x())\n", "class A: pass\nA()\n",
        "with open('x') as f:\n    f.read()\n",
        "def run(a):\n    def inner(b):\n        return b\n    return inner(a)\n",
        "def run(a):\n    if (a): return (1)\n    assert (a)\n    raise ValueError('x')\n",
        "x = [y.z for y in range(3)]\n", "def run(a):\n    return a.missing(1)\n"}) {
    EXPECT_TRUE(undefined_in(text).empty()) << text;
  }
}

TEST(UndefinedNames, OfNoPythonNothingIsSaid) {
  EXPECT_TRUE(undefined_in("def run(:\n  f('").empty());
}

}  // namespace
}  // namespace kbench
