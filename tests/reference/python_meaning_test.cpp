// References that LibTorch's compiler, left to itself, takes otherwise than Python does: the answer
// is Python's, or there is none.
#include <gtest/gtest.h>

#include "reference/evaluator_case.hpp"

namespace kbench {
namespace {

class PythonMeaning : public EvaluatorTest {
 protected:
  // run(x, n, f) with x = 1, 2, 3, 4, n = 5 and f = 2.5, which returns one float32 tensor.
  static ReferenceAnswer answer(const std::string& reference) {
    Case c("import math\nimport torch\nimport torch.nn.functional as F\n" + reference);
    c.floats("x", {1, 2, 3, 4}).scalar("n", DType::int64, std::int64_t{5});
    c.scalar("f", DType::float32, 2.5).output("y").seal();
    return evaluate(c);
  }
  static void expect(const std::string& reference, const std::vector<float>& wanted) {
    const ReferenceAnswer got = answer(reference);
    ASSERT_EQ(got.outcome, Outcome::ok) << reference << "\n" << got.message;
    EXPECT_EQ(values<float>(got.outputs.at(0)), wanted) << reference;
  }
  static void expect_run(const std::string& body, const std::vector<float>& wanted) {
    expect("def run(x, n, f):\n" + body, wanted);
  }
  static void expect_refused(const std::string& reference, const std::string& part) {
    const ReferenceAnswer got = answer(reference);
    EXPECT_NE(got.outcome, Outcome::ok) << reference;
    EXPECT_NE(got.message.find(part), std::string::npos) << reference << "\n" << got.message;
  }
};

TEST_F(PythonMeaning, PowersOfIntegersAreIntegers) {
  expect_run("    return torch.zeros(n ** 2)[:2] + [3, 2 ** n][1]\n", {32, 32});
  expect_run("    return torch.full((1,), float((-3) ** 3 % 5)) + x.view(2 ** 1, -1)[0, :1]\n",
             {4});
  expect_run("    return torch.full((1,), float(pow(2, n) // 3))\n", {10});
  expect_run("    return torch.full((1,), 2 ** -1 + n ** 0.5 * 0)\n", {0.5});
  expect_refused("def run(x, n, f):\n    return x * 10 ** (n * 4)\n", "over 64 bits");
  expect_refused("def run(x, n, f):\n    return x * 2 ** (n - 9)\n", "to the power of -4");
}

TEST_F(PythonMeaning, RoundMakesIntegers) {
  expect_run("    return torch.zeros(round(f))[:1] + [7, 8, 9][round(1.5)] + round(n)\n", {14});
  expect_run("    return round(x + 0.25)\n", {1, 2, 3, 4});
}

TEST_F(PythonMeaning, SoftmaxWithoutDim) {
  for (const std::string name : {"softmax", "log_softmax", "softmin"}) {
    for (const char* shape : {"4", "2, 2", "1, 2, 2", "1, 2, 2, 1"}) {
      const std::string dim =
          std::string(shape) == "4" || std::string(shape) == "1, 2, 2" ? "0" : "1";
      const std::string y = "    y = x.view(" + std::string(shape) + ")\n    return ";
      const std::string wanted = name == "softmin" ? "F.softmax(-y, dim=" + dim + ")"
                                                   : "F." + name + "(y, dim=" + dim + ")";
      std::string both = y + "(F.";
      both.append(name).append("(y) - ").append(wanted).append(").view(-1)\n");
      expect_run(both, {0, 0, 0, 0});
    }
  }
}

TEST_F(PythonMeaning, NoArgumentIsSwallowed) {
  expect_run("    F.relu(x.sub_(2), inplace=True)\n    return x\n", {0, 0, 1, 2});
  expect_run("    y = x - 2\n    z = F.elu(y, 1.0, True)\n    return y - z\n", {0, 0, 0, 0});
  expect_run("    y = F.silu(x, inplace=True)\n    return y - x\n", {0, 0, 0, 0});
  expect_run("    F.dropout(x, 1.0, inplace=True)\n    return x\n", {0, 0, 0, 0});
  expect_refused(
      "def run(x, n, f):\n    return F.embedding(torch.tensor([0]), x.view(2, 2), max_norm=1.0)\n",
      "max_norm");
  expect_refused("def run(x, n, f):\n    return F.normalize(x, dim=0, out=x)\n", "out");
  expect_run(
      "    t = torch.tensor([0, 1])\n    a = F.cross_entropy(x.view(2, 2), t, reduction='sum')\n"
      "    b = F.cross_entropy(x.view(2, 2), t, reduction='none')\n    return (a - "
      "b.sum()).view(1)\n",
      {0});
}

TEST_F(PythonMeaning, ViewsOfADtypeThatHasAName) {
  expect_run("    y = x.view(torch.int32)\n    return y.view(x.dtype)\n", {1, 2, 3, 4});
  expect_run("    dt = torch.int32\n    return (x.view(dt) >> 23).float()\n", {127, 128, 128, 129});
  expect(
      "DT = torch.int32\ndef g(v, dt=torch.float32):\n    return v.view(dt)\n"
      "def run(x, n, f):\n    return g(x.view(DT))\n",
      {1, 2, 3, 4});
  expect(
      "def g(k, v, dt):\n    return v.view(dt)\n"
      "def run(x, n, f):\n    return g(0, g(1, x, torch.int32), x.dtype)\n",
      {1, 2, 3, 4});
  expect_run("    k = 4\n    return x.view(2, 2).view(k)\n", {1, 2, 3, 4});
}

TEST_F(PythonMeaning, TheDeviceIsNoCuda) {
  expect_run("    return x * 2 if x.device.type == \"cuda\" else x\n", {1, 2, 3, 4});
  expect_run("    return x * 2 if x.device.type in (\"cuda\", \"hip\") else x\n", {1, 2, 3, 4});
  expect_run("    return x * 2 if \"cuda\" != x.device.type else x\n", {2, 4, 6, 8});
  expect_run("    return x * 2 if x.device == torch.device(\"cuda\") else x\n", {1, 2, 3, 4});
  expect_run("    return x.to(\"cuda\") * (torch.ones(4, device=\"cuda\") == 1)\n", {1, 2, 3, 4});
}

TEST_F(PythonMeaning, FormatStrings) {
  expect_run(
      "    t = f\"{{{n}}}|{{}}|{n}\"\n    return torch.full((1,), float(t == \"{5}|{}|5\"))\n",
      {1});
  expect_run("    assert n == 5, f\"{f:.2f} {n!r}\"\n    return x\n", {1, 2, 3, 4});
  expect_refused("def run(x, n, f):\n    t = f\"{f:.2f}\"\n    return x * len(t)\n", "a format");
  expect_refused("def run(x, n, f):\n    t = f\"{n!r}\"\n    return x * len(t)\n", "a format");
  expect_refused("def run(x, n, f):\n    t = \"{:.2f}\".format(f)\n    return x * len(t)\n",
                 "a format");
}

TEST_F(PythonMeaning, Log2) {
  expect_run("    return torch.tensor([math.log2(8), math.log2(2.0 ** 29), math.log2(0.125)])\n",
             {3, 29, -3});
  expect_run("    return torch.zeros(int(math.log2(2 ** 29)))[:1] + math.floor(math.log2(n))\n",
             {2});
}

TEST_F(PythonMeaning, ATableChangedUnderAnotherNameIsNoticed) {
  const std::string head = "T = torch.zeros(2, 2)\nL = [torch.zeros(2)]\ndef run(x, n, f):\n    ";
  expect_refused(head + "y = T.view(-1)\n    y[0] = 1\n    return T + y[0]\n", "changing T");
  expect_refused(head + "y = T.view(4)\n    y[0] = 1\n    return x\n", "changing T");
  expect_refused("S = [1, 2]\ndef run(x, n, f):\n    a = S\n    a += [3]\n    return x * len(S)\n",
                 "changing S");
  expect_refused(
      "A = torch.zeros(4)\nB = A.view(2, 2)\ndef run(x, n, f):\n    y = B\n    y += 1\n"
      "    return x + A\n",
      "changing A");
  expect_refused(head + "y = T.add_(1)\n    return y\n", "changing T");
  expect_refused(head + "for v in L:\n        v.add_(1)\n    return L[0]\n", "changing L");
  expect_refused(
      "def g(v, a=[0]):\n    a[0] = v\n    return a[0]\ndef run(x, n, f):\n    return x * g(2)\n",
      "changing a, which is a parameter's default");
  expect_refused("D = {1: 2}\ndef run(x, n, f):\n    d = D\n    d[2] = 3\n    return x * len(D)\n",
                 "changing D");
  expect(head + "y = T.clone().view(-1)\n    y[0] = 1\n    return T.view(-1) + y\n", {1, 0, 0, 0});
}

TEST_F(PythonMeaning, OperandsAreEvaluatedOnce) {
  const std::string head =
      "def g(v):\n    v.append(1)\n    return 2\ndef run(x, n, f):\n    l = [0]\n    ";
  expect_refused(head + "b = 1 < g(l) < 3\n    return x * len(l)\n", "calling g()");
  expect_refused(head + "b = g(l) or 7\n    return x * len(l)\n", "calling g()");
  expect_refused(head + "b = 0 <= l.pop() < 3\n    return x * len(l)\n", "calling pop()");
  expect(head + "b = 1 < abs(n) < 3 or g(l) == 2\n    return x * len(l)\n", {2, 4, 6, 8});
}

TEST_F(PythonMeaning, DecoratorsThatSayNothing) {
  expect(
      "def a(k):\n    return k + 1\n@torch.jit.ignore\ndef b(k):\n    return "
      "a(k)\n@torch.jit.script\n"
      "@torch.inference_mode()\ndef run(x, n, f):\n    @torch.no_grad()\n    def c(v):\n"
      "        return v\n    return c(x) * b(1)\n",
      {2, 4, 6, 8});
}

}  // namespace
}  // namespace kbench
