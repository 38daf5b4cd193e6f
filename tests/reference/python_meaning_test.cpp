// References that LibTorch's compiler, left to itself, takes otherwise than Python does: the answer
// is Python's, whoever gives it.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "reference/evaluator_case.hpp"

namespace kbench {
namespace {

class PythonMeaning : public EvaluatorTestWith<EvaluatorChoice::libtorch> {
 protected:
  void SetUp() override {
    EvaluatorTestWith::SetUp();
    if (IsSkipped()) return;
    ReferenceLimits limits;
    limits.seconds = 20;
    limits.evaluator = EvaluatorChoice::python;
    static ReferenceEvaluator in_python(program, limits, 1, never_stopped);
    python = &in_python;
    const Case c = add_case();
    const ReferenceAnswer answer =
        python->evaluate(c.definition, c.problem, c.inputs, ReferenceEffort{});
    if (answer.outcome == Outcome::unsupported) GTEST_SKIP() << answer.message;
  }

  // run(x, n, f) with x = 1, 2, 3, 4, n = 5 and f = 2.5, which returns one float32 tensor.
  static Case case_with(const std::string& reference) {
    Case c("import math\nimport torch\nimport torch.nn.functional as F\n" + reference);
    c.floats("x", {1, 2, 3, 4}).scalar("n", DType::int64, std::int64_t{5});
    c.scalar("f", DType::float32, 2.5).output("y").seal();
    return c;
  }
  static Case case_of_run(const std::string& body) {
    return case_with("def run(x, n, f):\n    " + body + "\n");
  }
  static ReferenceAnswer in_python(const Case& c) {
    return python->evaluate(c.definition, c.problem, c.inputs, ReferenceEffort{});
  }
  // Expects that LibTorch leaves it to Python, which has these values, or raises if there are none.
  static void expect(const std::string& reference, const std::vector<float>& wanted) {
    const Case c = case_with(reference);
    EXPECT_EQ(evaluate(c).outcome, Outcome::unsupported) << reference;
    const ReferenceAnswer got = in_python(c);
    ASSERT_EQ(got.outcome, wanted.empty() ? Outcome::failed : Outcome::ok) << reference << "\n"
                                                                           << got.message;
    if (wanted.empty()) return;
    EXPECT_EQ(values<float>(got.outputs.at(0)), wanted) << reference;
  }
  static void expect_run(const std::string& body, const std::vector<float>& wanted) {
    expect("def run(x, n, f):\n    " + body + "\n", wanted);
  }
  // Expects that LibTorch's answer, where it gives one, has the bits of Python's.
  static Outcome compare(const Case& c) {
    const ReferenceAnswer libtorch = evaluate(c);
    if (libtorch.outcome != Outcome::ok) return libtorch.outcome;
    const ReferenceAnswer wanted = in_python(c);
    EXPECT_EQ(wanted.outcome, Outcome::ok) << c.definition.reference << "\n" << wanted.message;
    if (wanted.outcome != Outcome::ok) return wanted.outcome;
    const TensorView &a = libtorch.outputs.at(0), &b = wanted.outputs.at(0);
    EXPECT_EQ(a.dtype, b.dtype) << c.definition.reference;
    EXPECT_EQ(a.shape, b.shape) << c.definition.reference;
    EXPECT_EQ(values<char>(a), values<char>(b)) << c.definition.reference;
    return Outcome::ok;
  }

  static inline ReferenceEvaluator* python = nullptr;
};

TEST_F(PythonMeaning, LibTorchHasTheSameBits) {
  const char* bodies[] = {
      "return x * n + f - n // 2 + n % 3 - -n",
      "y = x.to(torch.float16)\n    y = y * 0.1\n    y += 0.3\n    y /= 3\n    return y.float()",
      "y = x.to(torch.bfloat16)\n    y -= 0.1\n    return (2.5 * y - 1 / y + (0.3 - y)).float()",
      "return x / 3 + 3 / x - (3 - x) * (x // 2) + x % 3",
      "return torch.softmax(x.view(2, 2), dim=-1).reshape(4) + F.softmax(x, dim=0)",
      "return F.silu(x) + F.gelu(x) + F.relu(x - 2) + F.softplus(x) + torch.sigmoid(x)",
      "y = torch.zeros(4)\n    y[1:3] = x[:2]\n    y[0] = 7\n    y[-1] += 0.1\n    return y",
      "y = x.clone()\n    y[x > 2] = 0.1\n    y[torch.arange(2)] *= x[2:]\n    return y",
      "y = x.clone().masked_fill_(~(x > 2), float(\"-inf\"))\n    return y + x.sum() + x.mean()",
      "a, b = x.chunk(2)\n    return torch.cat((a * b, torch.stack([a, b]).amax(0)))",
      "v, i = torch.topk(x, 2)\n    return torch.cat([v, i.float()]) * (x.max(dim=0).values)",
      "y = x.view(2, 2)\n    return torch.einsum(\"ij,kj->ik\", y, y).view(4) + (y @ y.T).view(-1)",
      "m = 0.0\n    for i in range(x.shape[0]):\n        m = m + float(x[i].item()) * 0.1\n"
      "    return x * m",
      "s = 0\n    for i, v in enumerate(x):\n        if i == 2 and n > 3 or f < 0:\n"
      "            continue\n        s += int(v.item())\n    return x + s",
      "s = 0\n    for i in range(6):\n        if i == 4:\n            continue\n        s += i\n"
      "    return x + min(s, n) + max(s, 3)",
      "d = x.shape[0]\n    return x * (1.0 / math.sqrt(d)) + math.log(2.0) - math.exp(f) + math.pi",
      "return torch.full((4,), f) + torch.arange(4) + torch.tensor([1, 2, 3, 4]) * n",
      "y = x if n == 5 else x * 2\n    return y + (1.5 if f > 2 else 2.5)",
      "torch.manual_seed(3)\n    return x + torch.multinomial(x, 4, replacement=True)",
      "return x + torch.multinomial(x, 4, replacement=True)",
      "return x.int().bitwise_and(1).float()",
      "return (x.long() >> 1 | x.int() & 1).float() + (x.int() ^ 3)",
      "assert x.dtype == torch.float32, \"no float\"\n    return x.repeat_interleave(2)[::2]",
      "return torch.where(x > 2, x, -x).cumsum(0) + x.argmax() + x.sort(descending=True)[0]",
      "return torch.nonzero(x > 2, as_tuple=False).squeeze(1) + x[:2]",
      "return F.layer_norm(x, (4,), None, None, 1e-5) + x.pow(2).var() + x.std(0)",
      "if x is None or n == 3:\n        return x\n    return x - 1",
      "if not (n > 3 and f > 2):\n        return x\n    return x.new_zeros(4)",
      "return {\"y\": x + 1}",
  };
  int taken = 0;
  for (const char* body : bodies) taken += compare(case_of_run(body)) == Outcome::ok;
  EXPECT_GE(taken, 22);
}

// Operators between any two kinds of operand, written three ways.
TEST_F(PythonMeaning, OperatorsBetweenNumbersAndTensors) {
  const char* operands[] = {"x", "h", "i", "n", "f", "m", "2", "0.1", "x[0].item()", "x[1]"};
  const char* operators[] = {"+",  "-",  "*", "/",  "//", "%",  "&", "|", "^",
                             "<<", ">>", "<", ">=", "==", "!=", "@", "**"};
  int taken = 0;
  for (const char* op : operators) {
    for (const char* a : operands) {
      for (const char* b : operands) {
        std::string body = "h = x.to(torch.float16)\n    i = x.to(torch.int32)\n    m = x > 2\n";
        body.append("    y = ").append(a).append(" ").append(op).append(" ").append(b);
        body +=
            "\n    return (torch.zeros(4, dtype=torch.float64) + y).float() + (h.sum() + "
            "i.sum() + m.sum())";
        taken += compare(case_of_run(body)) == Outcome::ok;
      }
    }
  }
  EXPECT_GE(taken, 400);
}

TEST_F(PythonMeaning, ArithmeticOfNumbers) {
  expect_run("return torch.zeros(n ** 2)[:2] + [3, 2 ** n][1]", {32, 32});
  expect_run("return x * 2 ** (n - 9)", {0.0625, 0.125, 0.1875, 0.25});
  expect_run("return torch.zeros(round(f))[:1] + [7, 8, 9][round(1.5)] + round(n)", {14});
  expect_run("a = 5.0\n    return x * (a // 0.1)", {49, 98, 147, 196});
  expect_run("return x * min(1, 2.5)", {1, 2, 3, 4});
  expect_run("return x * 2147483648 / 2147483648", {1, 2, 3, 4});
  expect_run("return x * - -5.0", {5, 10, 15, 20});
  expect_run("return x * 0x10 + 1_0", {26, 42, 58, 74});
  expect_run("return x + math.floor(f) + math.remainder(7, 4)", {2, 3, 4, 5});
  expect_run("x *= 0.5\n    x %= 2\n    return x", {0.5, 1, 1.5, 0});
}

// Numbers that raise in Python, or are too large for 64 bits, are Python's when they run.
TEST_F(PythonMeaning, NumbersThatLibTorchWouldWrapOrMakeInfinite) {
  for (const char* body :
       {"k = n * 1000000\n    return x * float(k * k * k * k // (k * k * k * k))",
        "return x + 1 / (n - 5)", "return x + math.sqrt(n - 6)", "return x + math.log(n - 5)",
        "return x + math.exp(n * 1000)"}) {
    EXPECT_EQ(evaluate(case_of_run(body)).outcome, Outcome::failed) << body;
  }
}

// LibTorch's parser ranks some operators otherwise.
TEST_F(PythonMeaning, OrderOfOperators) {
  expect_run("t = True\n    return x if t or f > 9 and n > 9 else -x", {1, 2, 3, 4});
  expect_run("if n == 5 or n > 9 and f > 9:\n        return x\n    return -x", {1, 2, 3, 4});
  expect_run("a = x > 1\n    return x * (~a & a)", {0, 0, 0, 0});
  expect_run("return x if 3 > 2 > 1 else -x", {1, 2, 3, 4});
  expect_run("return x if 1 < n < 3 else -x", {-1, -2, -3, -4});
}

TEST_F(PythonMeaning, ValuesOfLogic) {
  expect_run("return x * (n and 3)", {3, 6, 9, 12});
  expect_run("k = 0 or n\n    return x * k", {5, 10, 15, 20});
  expect_run("t = x[0].item() - 0.75\n    return x if t else -x", {1, 2, 3, 4});
}

TEST_F(PythonMeaning, FunctionsWithOtherArguments) {
  expect_run("return F.softmax(x.view(2, 2)).view(4) * 0 + x", {1, 2, 3, 4});
  expect_run("F.relu(x.sub_(2), inplace=True)\n    return x", {0, 0, 1, 2});
  expect_run("F.dropout(x, 1.0, inplace=True)\n    return x", {0, 0, 0, 0});
  expect_run("return F.normalize(x.view(4, 1), dim=1).view(4)", {1, 1, 1, 1});
  expect_run("return F.embedding(torch.tensor([1, 0]), x.view(2, 2)).view(4)", {3, 4, 1, 2});
}

TEST_F(PythonMeaning, ViewsOfADtype) {
  expect_run("return x.view(torch.int32).view(x.dtype)", {1, 2, 3, 4});
  expect_run("dt = torch.int32\n    return (x.view(dt) >> 23).float()", {127, 128, 128, 129});
  expect_run("y = x[:3]\n    return y.view(torch.int32).float() * 0", {0, 0, 0});
  expect_run("k = 4\n    return x.view(2, 2).view(k)", {1, 2, 3, 4});
}

TEST_F(PythonMeaning, TheDeviceIsNoCuda) {
  expect_run("return x * 2 if x.device.type == \"cuda\" else x", {1, 2, 3, 4});
  expect_run("return x * 2 if \"cuda\" != x.device.type else x", {2, 4, 6, 8});
  expect_run("return x.to(\"cuda\") * (torch.ones(4, device=\"cuda\") == 1)", {1, 2, 3, 4});
}

TEST_F(PythonMeaning, TextsAndClasses) {
  expect_run("return x * len(f\"{f:.2f}\")", {4, 8, 12, 16});
  expect_run("return x * len(\"{:.2f}\".format(f))", {4, 8, 12, 16});
  expect_run("return x * len(\"\xc3\xa9\")", {1, 2, 3, 4});
  expect_run("return x * len(str(x.dtype))", {13, 26, 39, 52});
  expect_run("return x if isinstance(x.shape, tuple) else -x", {1, 2, 3, 4});
  expect_run("return -x if x.shape == [4] else x", {1, 2, 3, 4});
}

TEST_F(PythonMeaning, WhatChangesTables) {
  const std::string head = "T = torch.zeros(2, 2)\nL = [torch.zeros(2)]\ndef run(x, n, f):\n    ";
  expect(head + "y = T.view(-1)\n    y[0] = 1\n    return T + y[0]\n", {2, 1, 1, 1});
  expect(head + "for v in L:\n        v.add_(1)\n    return L[0]\n", {1, 1});
  expect(
      "def g(v, a=[0]):\n    a[0] = v\n    return a[0]\ndef run(x, n, f):\n    return x * g(2)\n",
      {2, 4, 6, 8});
  expect_run("xs = [1, 2]\n    ys = xs\n    ys += [3]\n    return x * len(xs)", {3, 6, 9, 12});
  expect_run(
      "xs = [1]\n    for v in xs:\n        if v < 3:\n            xs.append(v + 1)\n"
      "    return x * len(xs)",
      {3, 6, 9, 12});
  expect_run("xs = [3, 1]\n    x[xs.pop()] = xs.pop()\n    return x", {1, 2, 3, 1});
}

TEST_F(PythonMeaning, NamesThatLibTorchTakesForItsOwn) {
  for (const std::string name : {"sum", "abs", "round", "sorted", "print", "list"}) {
    std::string text = "def " + name;
    text.append("(v):\n    return v * 3\ndef run(x, n, f):\n    return ").append(name);
    expect(text + "(x)\n", {3, 6, 9, 12});
  }
  expect("def g(v):\n    return v + 1\ndef run(x, n, f):\n    g = x\n    return g\n", {1, 2, 3, 4});
}

// LibTorch's compiler drops what nothing reads; Python runs it.
TEST_F(PythonMeaning, WhatNothingReads) {
  for (const char* body : {"z = x.view(77)", "x.view(77)", "z = 0\n    z += x.view(77)",
                           "z, w = x.view(77), 1", "for i in range(2):\n        z = x.view(77)",
                           "w, z = 1, x.view(77)\n    x = x * w", "z = x\n    z = z.view(77)"})
    expect_run(std::string(body) + "\n    return x", {});
  expect_run("z = torch.rand(4)\n    return x * 0 + torch.rand(4) * 0", {0, 0, 0, 0});
}

}  // namespace
}  // namespace kbench
