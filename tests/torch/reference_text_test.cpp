#include "reference/torch/text/reference_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "reference/torch/text/format_string.hpp"

namespace kbench {
namespace {

const FunctionText* find(const ReferenceText& text, const std::string& name) {
  for (const FunctionText& function : text.functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

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

// What becomes of one statement inside of run().
std::string statement(const std::string& line) {
  const ReferenceText text = read("def run(x):\n    " + line + "\n    return y, n, t, s, m, xs\n");
  const FunctionText* run = find(text, "run");
  if (run == nullptr) return "no run";
  std::string body = run->body.substr(0, run->body.rfind("return y, n, t, s, m, xs"));
  body.erase(0, body.find_first_not_of("\n "));
  body.erase(body.find_last_not_of("\n ") + 1);
  return body;
}

struct Rewriting {
  const char* python;
  const char* torch;
};

TEST(ReferenceText, Statements) {
  const Rewriting table[] = {
      {"return x", "return x"},
      {"return x  # why", "return x"},
      {"\"\"\"What it does.\"\"\"", "pass"},
      {"import torch.nn.functional as F", "pass"},
      {"n = 0xFF + 0b11 + 0o17 + 1_000", "n = 255 + 3 + 15 + 1000"},
      {"y = x.bool()", "y = x.to(__torch.bool)"},
      {"y = x.bfloat16()", "y = x.to(__torch.bfloat16)"},
      {"y = x.view(torch.bfloat16)", "y = __view_as(x,torch.bfloat16)"},
      {"y = x.view(a.n)", "y = x.view(a.n)"},
      {"y = x.cuda()", "y = x.cpu()"},
      {"y = x.nonzero(as_tuple=True)[0]", "y = x.nonzero_numpy()[0]"},
      {"y = x.nonzero(as_tuple=False)", "y = x.nonzero()"},
      {"y = torch.nonzero(x, as_tuple=True)", "y = torch.nonzero(x, as_tuple=True)"},
      {"y = torch.zeros(3, device='cuda:0')", "y = torch.zeros(3, device=\"cpu\")"},
      {"assert 0 < k < n", "assert (0 < k and k < n)"},
      {"assert a <= b[1] < c <= d", "assert (a <= b[1] and b[1] < c and c <= d)"},
      {"assert a < b and c < d", "assert a < b and c < d"},
      {"y = f(a < b < c, 1)", "y = f((a < b and b < c), 1)"},
      {"y = [a in b for a in c]", "y = [a in b for a in c]"},
      {"assert a not in (1, 2)", "assert (not (a in (1, 2)))"},
      {"y = 2 ** k", "y = __power(2 , k)"},
      {"y = x.shape[-1] ** -0.5 * 2", "y = __power(x.shape[-1] , -0.5) * 2"},
      {"y = -a ** 2", "y = -__power(a , 2)"},
      {"y = f(a)(b).c[1] ** 2 ** k", "y = __power(f(a)(b).c[1] , __power(2 , k))"},
      {"y = 1 / (a + b) ** 0.5", "y = 1 / __power((a + b) , 0.5)"},
      {"y = x.view(*x.shape[:-1], 2, -1)", "y = x.view((x.shape[:-1]) + [2, -1])"},
      {"y = torch.zeros(*s, dtype=d)", "y = torch.zeros((s), dtype=d)"},
      {"y = (a, *s)", "y = ([a] + (s))"},
      {"y = [*s, a]", "y = ((s) + [a])"},
      {"t = tuple(x.shape)", "t = list(x.shape)"},
      {"t = tuple(a)", "t = tuple(a)"},
      {"s = scale or 1.0", "s = (scale if scale else 1.0)"},
      {"return a == b or not c", "return a == b or not c"},
      {"n: int = 3", "n = 3"},
      {"xs: list[Tensor] = []", "xs: List[Tensor] = []"},
      {"y = x.view(a.dtype)", "y = __view_as(x,a.dtype)"},
      {"y = a.b.view(torch.int8 if c else torch.int16)",
       "y = __view_as(a.b,torch.int8 if c else torch.int16)"},
      {"y = x.view(2, a.dtype)", "y = x.view(2, a.dtype)"},
      {"y = x.type == 'cuda'", "y = x.type == 'cuda'"},
      {"y = x.type in ['hip', 'cuda']", "y = x.type in ['hip', 'cuda']"},
      {"y = x.to('cuda') == 1", "y = x.to(\"cpu\") == 1"},
      {"assert x > 0, f\"got {x!r:>8} of {n}\"", "assert x > 0, \"got {} of {}\".format((x), (n))"},
      {"m = f'plain'", "m = 'plain'"},
      {"m = f'{a}' 'b'", "m = ('{}'.format((a)) + 'b')"},
  };
  for (const Rewriting& row : table) EXPECT_EQ(statement(row.python), row.torch) << row.python;
}

TEST(ReferenceText, GradientBlocksAreBlocks) {
  EXPECT_EQ(statement("with torch.no_grad():\n        return x"), "if True:\n        return x");
  EXPECT_EQ(statement("with torch.inference_mode():\n        return x"),
            "if True:\n        return x");
}

TEST(ReferenceText, EmptyListOfNumbers) {
  EXPECT_EQ(statement("xs = []\n    xs.append(int(x))"),
            "xs: List[int] = []\n    __observe((xs.append(int(x))))");
  EXPECT_EQ(statement("xs = []\n    xs.append(x)"), "xs = []\n    __observe((xs.append(x)))");
}

TEST(ReferenceText, WhatNothingReadsIsObserved) {
  const Rewriting table[] = {
      {"f(x)", "__observe((f(x)))"},
      {"z = f(x)", "z = __observe((f(x)))"},
      {"z = x + 1, 2", "z = __observe((x + 1, 2))"},
      {"z += f(x)", "z += __observe((f(x)))"},
      {"z, w = f(x)", "z, w = __observe((f(x)))"},
      {"z: Tensor = f(x)", "z = __observe((f(x)))"},
      {"z, y = f(x)", "z, y = __observe((f(x)))"},
      {"y, n = f(x)", "y, n = f(x)"},
      {"z = F.gelu", "z = F.gelu"},
      {"z: list[int] = []", "z: List[int] = []"},
      {"z = y = f(x)", "z = y = f(x)"},
      {"a.z = f(x)", "a.z = f(x)"},
      {"print(x)", "print(x)"},
      {"while n < 3:\n        pass", "while __observe((n < 3)):\n        pass"},
      {"while n is None:\n        pass", "while n is None:\n        pass"},
  };
  for (const Rewriting& row : table) EXPECT_EQ(statement(row.python), row.torch) << row.python;
}

TEST(ReferenceText, Imports) {
  const ReferenceText text = read(
      "from __future__ import annotations\nimport torch, math as m\n"
      "import torch.nn.functional as F\nfrom torch import nn, Tensor as T\n"
      "def run(x):\n    import numpy\n    return x\n");
  EXPECT_EQ(text.modules.at("torch"), "torch");
  EXPECT_EQ(text.modules.at("m"), "math");
  EXPECT_EQ(text.modules.at("F"), "torch.nn.functional");
  EXPECT_EQ(text.modules.at("nn"), "torch.nn");
  EXPECT_EQ(text.modules.at("T"), "torch.Tensor");
  EXPECT_EQ(text.modules.at("numpy"), "numpy");
  EXPECT_EQ(text.modules.count("math"), 0u);
}

TEST(ReferenceText, Constants) {
  const ReferenceText text = read(
      "A = 3\nB: float = A * 2  # twice\nC, D = 1, (2, 3)\nTABLE = torch.tensor(\n    [1,\n     "
      "2])\n"
      "def run(x):\n    return x\n");
  ASSERT_EQ(text.constants.size(), 5u);
  EXPECT_EQ(text.constants[1].name, "B");
  EXPECT_EQ(text.constants[1].expression, "A * 2");
  EXPECT_EQ(text.constants[1].line, 2);
  EXPECT_EQ(text.constants[3].name, "D");
  EXPECT_EQ(text.constants[3].expression, "(2, 3)");
  EXPECT_EQ(text.constants[4].name, "TABLE");
}

TEST(ReferenceText, ParametersAndLines) {
  const ReferenceText text = read(
      "import torch\n\n@torch.no_grad()\ndef run(\n    q: torch.Tensor,\n    k=None,\n    *,\n"
      "    eps: float = 1e-6,\n    **_unused,\n) -> torch.Tensor:\n    return q\n");
  const FunctionText* run = find(text, "run");
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->line, 4);
  EXPECT_EQ(run->body_line, 10);
  ASSERT_EQ(run->parameters.size(), 4u);
  EXPECT_EQ(run->parameters[0].name, "q");
  EXPECT_EQ(run->parameters[1].default_value, "None");
  EXPECT_FALSE(run->parameters[1].keyword_only);
  EXPECT_EQ(run->parameters[2].default_value, "1e-6");
  EXPECT_TRUE(run->parameters[2].keyword_only);
  EXPECT_TRUE(run->parameters[3].rest);
}

TEST(ReferenceText, BodyKeepsItsLines) {
  const ReferenceText text =
      read("def run(x):\n    # one\n\n    y = (x +  # two\n         1)\n    return y\n");
  EXPECT_EQ(find(text, "run")->body, "\n    \n\n    y = (x +  \n         1)\n    return y\n");
}

TEST(ReferenceText, FunctionOnOneLine) {
  const ReferenceText text =
      read("def f(a): return a\ng = lambda a, b=2: a + b\ndef run(x):\n    return f(x)\n");
  EXPECT_EQ(find(text, "f")->body, "\n  return a\n");
  EXPECT_EQ(find(text, "f")->body_line, 0);
  EXPECT_EQ(find(text, "g")->body, "\n  return (a + b)\n");
  EXPECT_EQ(find(text, "g")->parameters.at(1).default_value, "2");
  EXPECT_TRUE(text.constants.empty());
}

TEST(ReferenceText, InnerFunctionsGetWhatTheyTakeFromAround) {
  const ReferenceText text = read(
      "def run(x, scale):\n"
      "    n = x.shape[0]\n"
      "    def half(v):\n"
      "        return v * scale / n\n"
      "    def twice(v):\n"
      "        w = half(v)\n"
      "        return w + w\n"
      "    return twice(x) + half(v=x,)\n");
  const FunctionText* half = find(text, "half__in_run");
  const FunctionText* twice = find(text, "twice__in_run");
  ASSERT_NE(half, nullptr);
  ASSERT_NE(twice, nullptr);
  ASSERT_EQ(half->parameters.size(), 3u);  // v, n, scale
  EXPECT_EQ(half->parameters[1].name, "n");
  EXPECT_EQ(half->parameters[2].name, "scale");
  EXPECT_EQ(half->line, 3);
  ASSERT_EQ(twice->parameters.size(), 3u);  // by way of half
  EXPECT_NE(twice->body.find("half__in_run(v, n=n, scale=scale)"), std::string::npos)
      << twice->body;
  const std::string& body = find(text, "run")->body;
  EXPECT_NE(
      body.find("return twice__in_run(x, n=n, scale=scale) + half__in_run(v=x,n=n, scale=scale)"),
      std::string::npos)
      << body;
  EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), 8);
}

TEST(ReferenceText, InnerLambda) {
  const ReferenceText text = read("def run(x, s):\n    f = lambda v: v * s\n    return f(x)\n");
  ASSERT_NE(find(text, "f__in_run"), nullptr);
  EXPECT_EQ(find(text, "f__in_run")->body, "\n  return (v * s)\n");
  EXPECT_NE(find(text, "run")->body.find("f__in_run(x, s=s)"), std::string::npos);
}

TEST(ReferenceText, FunctionsOfBuiltinNamesAreRenamed) {
  const ReferenceText text =
      read("def max(a, b):\n    return a\ndef run(x):\n    return max(x, x).max()\n");
  EXPECT_NE(find(text, "max__own"), nullptr);
  EXPECT_NE(find(text, "run")->body.find("return max__own(x, x).max()"), std::string::npos);
}

TEST(ReferenceText, WhatItRefusesAndWhere) {
  const struct {
    const char* text;
    const char* construct;
    int line;
  } table[] = {
      {"class A:\n    pass\ndef run(x):\n    return x\n", "\"class\"", 1},
      {"def run(x):\n    try:\n        return x\n    finally:\n        pass\n", "\"try\"", 2},
      {"def run(x):\n    yield x\n", "\"yield\"", 2},
      {"def run(x):\n    return [a for a in x if a]\n", "a comprehension with a condition", 2},
      {"def run(x):\n    a = 1; b = 2\n", "\";\"", 2},
      {"def run(x):\n    if (a := 1):\n        return x\n", "\":=\"", 2},
      {"T = f()\ndef run(x):\n    T.add_(1)\n", "changing T, which is at module level,", 3},
      {"T = f()\ndef run(x):\n    T[0] = 1\n", "changing T, which is at module level,", 3},
      {"x = 1\ntorch.matmul = 3\n", "this statement outside of a function", 2},
      {"if x:\n    A = 1\ndef run(x):\n    return x\n", "this statement outside of a function", 1},
      {"A = 1\nB = A + 1\nA = 5\ndef run(x):\n    return x\n", "assigning A twice at module level",
       3},
      {"def f(x):\n    return x\nf = g\ndef run(x):\n    return x\n",
       "assigning f twice at module level", 3},
      {"from math import e\ne = 2\ndef run(x):\n    return x\n",
       "assigning e twice at module level", 2},
      {"L = [1]\ndef run(x):\n    return f(L.append(2))\n", "changing L, which is at module level,",
       3},
      {"def run(x):\n    x **= 2\n", "\"**=\"", 2},
      {"def run(x):\n    return f(rf'\\n{x}')\n", "a raw f-string with a backslash", 2},
      {"@twice\ndef run(x):\n    return x\n", "the decorator @twice", 1},
      {"import torch\n@torch.autocast('cpu')\ndef run(x):\n    return x\n",
       "the decorator @torch.autocast('cpu')", 2},
      {"import torch\n@torch.no_grad().x\ndef run(x):\n    return x\n",
       "the decorator @torch.no_grad().x", 2},
      {"T = torch.randn(3)\ndef run(x):\n    return x\n", "a random number at module level", 1},
      {"def f():\n    return torch.rand(3)\nT = f()\ndef run(x):\n    return x\n",
       "a random number at module level", 3},
      {"def run(x, a=torch.rand(3)):\n    return x\n", "a random number at module level", 1},
      {"def run(x):\n    return x * 0x1_0000_0000_0000_0000_0\n",
       "the integer 0x1_0000_0000_0000_0000_0, which has over 64 bits,", 2},
      {"def run(x):\n    return x * 9223372036854775808\n",
       "the integer 9223372036854775808, which has over 64 bits,", 2},
      {"def run(x):\n    return 'a\n", "this text, which is no Python,", 2},
      {"def run(x):\n    def f(): return 1\n    def f(): return 2\n    return f()\n",
       "a second function f in one function", 3},
  };
  for (const auto& row : table) {
    const UnsupportedText error = refused(row.text);
    EXPECT_EQ(error.construct, row.construct) << row.text;
    EXPECT_EQ(error.line, row.line) << row.text;
  }
}

// Each of these is another value in LibTorch than in Python.
TEST(ReferenceText, WhatMeansSomethingElseIsRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"y %= 7", "\"%=\""},
      {"y = isinstance(x.shape, tuple)", "isinstance() with tuple, list, int or bool"},
      {"y = isinstance(True, (float, int))", "isinstance() with tuple, list, int or bool"},
      {"y = x.shape == [4, 8]", "a shape compared with a list"},
      {"y = x.size() != [4, 8]", "a shape compared with a list"},
      {"y = math.remainder(7, 4)", "math.remainder()"},
      {"y = m.popitem()", "popitem()"},
      {"n = s.count(\"\")", "count() of an empty text"},
      {"n = len(\"\xc3\xa9\")", "a text beyond ASCII"},
      {"y = x.clone().requires_grad_(True)", "autograd"},
      {"y = torch.autograd.grad(x, x)", "autograd"},
      {"x[xs.pop()] += 10", "pop() in an assignment's target"},
      {"x[xs.pop()] = xs.pop()", "pop() in an assignment's target"}};
  for (const auto& [line, construct] : cases) {
    const UnsupportedText error =
        refused(std::string("import math, torch\ndef run(x):\n    ") + line + "\n    return y\n");
    EXPECT_EQ(error.construct, construct) << line;
    EXPECT_EQ(error.line, 3) << line;
  }
  const UnsupportedText loop =
      refused("def run(x):\n    xs = [1]\n    for v in xs:\n        xs.append(v)\n    return x\n");
  EXPECT_EQ(loop.construct, "changing a list while looping over it");
  EXPECT_EQ(loop.line, 4);
  EXPECT_EQ(refused("import functools\n@functools.lru_cache\ndef f(n):\n    return n\n"
                    "def run(x):\n    return x * f(2)\n")
                .line,
            2);
}

TEST(ReferenceText, WhatMeansTheSameIsTaken) {
  read(
      "import math\nimport torch\n\ndef run(x, y):\n    \"\"\"N\xc3\xa4he\"\"\"\n"
      "    assert isinstance(x.shape, tuple), \"\xc3\xa9\"\n"
      "    if isinstance(x, torch.Tensor):\n        y = torch.remainder(x, 7)\n"
      "    z = torch.zeros(3, requires_grad=False)\n"
      "    xs = [1]\n    out = [2]\n    for v in xs:\n        out.append(v)\n"
      "    return x % 7, out.pop(), z\n");
}

TEST(FormatString, BecomesACall) {
  EXPECT_EQ(format_call("f'a{b}c'"), "'a{}c'.format((b))");
  EXPECT_EQ(format_call("f'{a[\"k\"]:{w}.2f} {{x'"), "'{} {}x'.format((a[\"k\"]), ('{'))");
  EXPECT_TRUE(has_specification("f'{{ {a:>3}'"));
  EXPECT_TRUE(has_specification("f'{a!r}'"));
  EXPECT_FALSE(has_specification("f'{{a:3}} {a[1:2]} {a != b}'"));
  EXPECT_TRUE(is_plain_format("'a {} b {}'"));
  EXPECT_FALSE(is_plain_format("'{0}'"));
  EXPECT_FALSE(is_plain_format("'{:.2f}'"));
  EXPECT_EQ(format_call("f'{a=}'"), "'a={}'.format((a))");
  EXPECT_EQ(format_call("f'{a != b}'"), "'{}'.format((a != b))");
  EXPECT_EQ(format_call("rf\"\"\"a\n{b}\"\"\""), "\"\"\"a\n{}\"\"\".format((b))");
  EXPECT_EQ(format_call("F'none'"), "'none'");
  EXPECT_TRUE(is_format_string("f''"));
  EXPECT_FALSE(is_format_string("'f'"));
}

// LibTorch's compiler makes a truth of `and` and `or`, Python one of the operands.
TEST(ReferenceText, AndOrAreRefusedWhereTheirOperandsCount) {
  for (const char* line :
       {"c = a and b", "c = 1 + (a or 3)", "c = [a or 5]", "c = a or 0 or 6", "c, d = a or 5, b",
        "c += a or 5", "c = (a or 5) == 5", "c = f(a or b)", "return a == b or c",
        "if f(a or b): pass", "if (a or 5) == 5: pass", "c = a if b else a or b"}) {
    EXPECT_EQ(refused("def run(a, b):\n    " + std::string(line) + "\n").line, 2) << line;
  }
  for (const char* line :
       {"if a and b or c: pass", "while not (a or b): pass", "assert (a or b) and c, 'a or b'",
        "c = 1 if a or b else 2", "c = a == 1 and b > 2", "c = not a or not b",
        "c = f(a > 1 and b > 1, 2)", "c = a or b"}) {
    read("def run(a, b, c):\n    " + std::string(line) + "\n");
  }
}

TEST(ReferenceText, TheTextOfADtypeIsRefusedOutsideOfMessages) {
  for (const char* line :
       {"c = str(x.dtype)", "c = 'float32' in f'{x.dtype}'", "c = '%s' % x.dtype",
        "c = '{}'.format(x.dtype)", "return x if 'f' in repr(x.dtype) else x"}) {
    EXPECT_EQ(refused("def run(x):\n    " + std::string(line) + "\n").construct,
              "the text of a dtype")
        << line;
  }
  read("def run(x):\n    assert x.dtype == torch.int8, f'not {x.dtype}'\n    return x\n");
}

}  // namespace
}  // namespace kbench
