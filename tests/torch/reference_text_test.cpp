#include "reference/torch/text/reference_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kbench {
namespace {

ReferenceText read(const std::string& text) {
  auto result = read_reference(text);
  if (const auto* error = std::get_if<UnsupportedText>(&result)) {
    ADD_FAILURE() << "line " << error->line << ": " << error->construct << "\n" << text;
    return {};
  }
  return std::get<ReferenceText>(std::move(result));
}

UnsupportedText refused(const std::string& text) {
  auto result = read_reference(text);
  if (auto* error = std::get_if<UnsupportedText>(&result)) return *error;
  ADD_FAILURE() << "was taken:\n" << text;
  return {};
}

TEST(ReferenceText, Imports) {
  const ReferenceText text = read(
      "from __future__ import annotations\nimport torch\nimport math\n"
      "import torch.nn.functional as F\nfrom torch import nn\ndef run(x):\n    return x\n");
  EXPECT_EQ(text.modules.at("torch"), "torch");
  EXPECT_EQ(text.modules.at("math"), "math");
  EXPECT_EQ(text.modules.at("F"), "torch.nn.functional");
  EXPECT_EQ(text.modules.at("nn"), "torch.nn");
}

TEST(ReferenceText, Constants) {
  const ReferenceText text = read(
      "\"\"\"About it.\"\"\"\nA = 3\nB = -1e-6  # small\nC = True\ndef run(x):\n    return x\n");
  EXPECT_EQ(text.constants.size(), 3u);
  EXPECT_EQ(text.constants.at("A"), "3");
  EXPECT_EQ(text.constants.at("B"), "-1e-6");
  EXPECT_EQ(text.constants.at("C"), "True");
}

TEST(ReferenceText, ParametersAndLines) {
  const ReferenceText text = read(
      "import torch\n\n@torch.no_grad()\ndef run(\n    q: torch.Tensor,\n    k=None,\n"
      "    eps: float = 1e-6,\n) -> torch.Tensor:\n    # why\n    return q\n\nA = 1\n");
  const FunctionText* run = text.function("run");
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->line, 4);
  EXPECT_EQ(run->body_line, 8);
  EXPECT_EQ(run->parameters, (std::vector<std::string>{"q", "k", "eps"}));
  EXPECT_EQ(run->body, "\n    # why\n    return q\n");
  EXPECT_EQ(text.function("walk"), nullptr);
}

TEST(ReferenceText, WhatItRefusesAndWhere) {
  const struct {
    const char* text;
    const char* construct;
    int line;
  } table[] = {
      {"class A:\n    pass\ndef run(x):\n    return x\n", "this statement outside of a function",
       1},
      {"T = f()\ndef run(x):\n    return T\n", "this statement outside of a function", 1},
      {"T = torch.randn(3)\ndef run(x):\n    return x\n", "this statement outside of a function",
       1},
      {"A = B = 1\ndef run(x):\n    return x\n", "this statement outside of a function", 1},
      {"x = 1\ntorch.matmul = 3\n", "this statement outside of a function", 2},
      {"if x:\n    A = 1\ndef run(x):\n    return x\n", "this statement outside of a function", 1},
      {"import numpy\ndef run(x):\n    return x\n", "import numpy", 1},
      {"from torch import *\ndef run(x):\n    return x\n", "from torch import *", 1},
      {"A = 1\nB = 2\nA = 5\ndef run(x):\n    return x\n", "giving A two meanings at module level",
       3},
      {"f = 2\ndef f(x):\n    return x\n", "giving f two meanings at module level", 2},
      {"import math\nmath = 2\ndef run(x):\n    return x\n",
       "giving math two meanings at module level", 2},
      {"@twice\ndef run(x):\n    return x\n", "the decorator @twice", 1},
      {"import torch\n@torch.autocast('cpu')\ndef run(x):\n    return x\n",
       "the decorator @torch.autocast('cpu')", 2},
      {"async def run(x):\n    return x\n", "\"async\"", 1},
      {"def run(x, a=torch.rand(3)):\n    return x\n", "a default that is no number", 1},
      {"def run(x, *a):\n    return x\n", "the parameter *a", 1},
      {"def run(x):\n    y = []  # type: List[int]\n    return x\n", "a comment that gives a type",
       2},
      {"def run(x):\n    return 'a\n", "this text, which is no Python,", 2},
  };
  for (const auto& row : table) {
    const UnsupportedText error = refused(row.text);
    EXPECT_EQ(error.construct, row.construct) << row.text;
    EXPECT_EQ(error.line, row.line) << row.text;
  }
}

}  // namespace
}  // namespace kbench
