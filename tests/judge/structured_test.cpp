// Structured inputs serve to refuse wrong programs that random numbers do not show, and no right
// ones.
#include "judge/structured_case.hpp"

namespace kbench::structured {
namespace {

Task gemm(const std::string& dtype) {
  return {"gemm",
          {{"M", 2}, {"N", 128}, {"K", 4096}},
          {{"x", tensor({"M", "K"}, dtype)}, {"w", tensor({"N", "K"}, dtype)}},
          {{"y", tensor({"M", "N"}, dtype)}},
          "def run(x, w):\n    return (x.float() @ w.float().T).to(x.dtype)\n"};
}

Task norm(const std::string& dtype, const std::string& body) {
  return {"rmsnorm",
          {{"M", 18}, {"N", 1024}},
          {{"x", tensor({"M", "N"}, dtype)}, {"w", tensor({"N"}, dtype)}},
          {{"y", tensor({"M", "N"}, dtype)}},
          "def run(x, w):\n    f = x.float()\n" + body};
}

const std::string rmsnorm_body =
    "    return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6) * w.float())"
    ".to(x.dtype)\n";

Task attention(const std::string& dtype) {
  return {"gqa",
          {{"T", 18}, {"S", 257}, {"D", 64}},
          {{"q", tensor({"T", "D"}, dtype)},
           {"k", tensor({"S", "D"}, dtype)},
           {"v", tensor({"S", "D"}, dtype)}},
          {{"o", tensor({"T", "D"}, dtype)}},
          "def run(q, k, v):\n"
          "    p = torch.softmax(q.float() @ k.float().T * 0.125, dim=-1)\n"
          "    return (p @ v.float()).to(q.dtype)\n"};
}

TEST_F(Structured, ProductsInOtherOrdersAreRight) {
  for (const std::string& dtype : dtypes) {
    expect_right(gemm(dtype),
                 {"def run(x, w):\n    y = torch.zeros(x.shape[0], w.shape[0])\n"
                  "    for k in range(63, -1, -1):\n"
                  "        y = y + x[:, k * 64:(k + 1) * 64].float() @ "
                  "w[:, k * 64:(k + 1) * 64].float().T\n    return y.to(x.dtype)\n",
                  "def run(x, w):\n    return (x.double() @ w.double().T).to(x.dtype)\n",
                  "def run(x, w):\n    return (x.float().unsqueeze(1) * w.float().unsqueeze(0))"
                  ".sum(-1).to(x.dtype)\n",
                  "def run(x, w):\n    return x @ w.T\n"});
  }
}

TEST_F(Structured, ProductsThatMissAreWrong) {
  const Task task = gemm("bfloat16");
  expect_wrong(
      task, "exact",
      "def run(x, w):\n    return (x[:, :-1].float() @ w[:, :-1].float().T).to(x.dtype)\n");
  expect_wrong(
      task, "mixed",
      "def run(x, w):\n    return (x[:, :-1].float() @ w[:, :-1].float().T).to(x.dtype)\n");
  expect_wrong(task, "exact",
               "def run(x, w):\n    f = x.float().clone()\n    f[:, 1234] = 0\n"
               "    return (f @ w.float().T).to(x.dtype)\n");
  expect_wrong(task, "mixed",  // accumulates in bfloat16
               "def run(x, w):\n    y = torch.zeros(x.shape[0], w.shape[0], dtype=x.dtype)\n"
               "    for k in range(64):\n        y = y + (x[:, k * 64:(k + 1) * 64].float() @ "
               "w[:, k * 64:(k + 1) * 64].float().T).to(x.dtype)\n    return y\n");
}

// Terms have one sign: one of 4096 is less than half a unit in the last place of bfloat16.
TEST_F(Structured, OneOf4096PositiveTermsThatMisses) {
  const Task task{"reduction",
                  {{"M", 256}, {"K", 4096}},
                  {{"x", tensor({"M", "K"}, "bfloat16")}},
                  {{"y", tensor({"M"}, "bfloat16")}},
                  "def run(x):\n    return x.float().abs().sum(-1).to(x.dtype)\n"};
  expect_wrong(task, "exact",
               "def run(x):\n    f = x.float().abs()\n"
               "    return (f.sum(-1) - f[:, 1234]).to(x.dtype)\n");
  expect_wrong(task, "exact",
               "def run(x):\n    return x[:, :-1].float().abs().sum(-1).to(x.dtype)\n");
  expect_right(task, {"def run(x):\n    return x.float().abs().view(-1, 64, 64).sum(1).sum(-1)"
                      ".to(x.dtype)\n"});
}

TEST_F(Structured, SoftmaxesInOtherOrdersAreRight) {
  const std::string online =
      "def run(x):\n    f = x.float()\n    m = torch.full([x.shape[0], 1], -1e30)\n"
      "    s = torch.zeros(x.shape[0], 1)\n    for k in range(0, x.shape[1], 128):\n"
      "        part = f[:, k:k + 128]\n"
      "        n = torch.maximum(m, part.amax(-1, keepdim=True))\n"
      "        s = s * torch.exp(m - n) + torch.exp(part - n).sum(-1, keepdim=True)\n"
      "        m = n\n    return (torch.exp(f - m) / s).to(x.dtype)\n";
  const std::string in_order =  // the plainest loop: each sum rounds
      "def run(x):\n    f = x.float()\n    e = torch.exp(f - f.amax(-1, keepdim=True))\n"
      "    s = torch.zeros(x.shape[0], 1)\n    for k in range(x.shape[1]):\n"
      "        s = s + e[:, k:k + 1]\n    return (e * (1.0 / s)).to(x.dtype)\n";
  for (const std::string& dtype : dtypes)
    expect_right(softmax(dtype, 18, 1000), {online, in_order});
  expect_right(softmax("float32", 2, 4096), {online, in_order});
}

TEST_F(Structured, SoftmaxTermsThatMissAreWrong) {
  const Task task = softmax("bfloat16", 9, 32768);
  for (const std::string which : {"0", "32767", "32752", "32703"}) {
    expect_wrong(task, "mixed",
                 "def run(x):\n    f = x.float()\n    e = torch.exp(f - f.amax(-1, keepdim=True))\n"
                 "    s = e.sum(-1, keepdim=True) - e[:, " +
                     which + ":" + which + "+1]\n    return (e / s).to(x.dtype)\n");
  }
}

TEST_F(Structured, NormsByOtherFormulasAreRight) {
  for (const std::string& dtype : dtypes) {
    expect_right(norm(dtype, rmsnorm_body),
                 {"def run(x, w):\n    f = x.float()\n"
                  "    s = torch.zeros(x.shape[0], 1)\n    for k in range(0, x.shape[1], 8):\n"
                  "        s = s + f[:, k:k + 8].pow(2).sum(-1, keepdim=True)\n"
                  "    return (f * (1.0 / torch.sqrt(s / x.shape[1] + 1e-6)) * w.float())"
                  ".to(x.dtype)\n"});
    Task layernorm = norm(dtype,
                          "    d = f - f.mean(-1, keepdim=True)\n"
                          "    return (d * torch.rsqrt(d.pow(2).mean(-1, keepdim=True) + 1e-5) * "
                          "w.float()).to(x.dtype)\n");
    expect_right(layernorm,
                 {"def run(x, w):\n    f = x.float()\n    m = f.mean(-1, keepdim=True)\n"
                  "    v = f.pow(2).mean(-1, keepdim=True) - m * m\n"
                  "    return ((f - m) * torch.rsqrt(v.clamp(min=0.0) + 1e-5) * w.float())"
                  ".to(x.dtype)\n"});
  }
}

TEST_F(Structured, NormsWithoutEpsAreWrong) {
  for (const std::string& dtype : dtypes) {
    expect_wrong(norm(dtype, rmsnorm_body), "mixed",
                 "def run(x, w):\n    f = x.float()\n"
                 "    return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True)) * w.float())"
                 ".to(x.dtype)\n");
  }
}

TEST_F(Structured, AttentionInPartsIsRight) {
  const std::string split =
      "def run(q, k, v):\n    m = torch.full([q.shape[0], 1], -1e30)\n"
      "    s = torch.zeros(q.shape[0], 1)\n    o = torch.zeros(q.shape[0], q.shape[1])\n"
      "    for t in range(0, k.shape[0], 64):\n"
      "        z = q.float() @ k[t:t + 64].float().T * 0.125\n"
      "        n = torch.maximum(m, z.amax(-1, keepdim=True))\n"
      "        p = torch.exp(z - n)\n        c = torch.exp(m - n)\n"
      "        s = s * c + p.sum(-1, keepdim=True)\n        o = o * c + p @ v[t:t + 64].float()\n"
      "        m = n\n    return (o / s).to(q.dtype)\n";
  const std::string stored =  // probabilities in the dtype of the inputs
      "def run(q, k, v):\n    p = torch.softmax(q.float() @ k.float().T * 0.125, dim=-1)\n"
      "    return (p.to(q.dtype).float() @ v.float()).to(q.dtype)\n";
  for (const std::string& dtype : dtypes) expect_right(attention(dtype), {split, stored});
}

TEST_F(Structured, AttentionThatMissesIsWrong) {
  for (const std::string& dtype : dtypes) {
    expect_wrong(attention(dtype), "mixed",
                 "def run(q, k, v):\n    return v.float().mean(0, keepdim=True)"
                 ".expand(q.shape[0], q.shape[1]).to(q.dtype)\n");
    expect_wrong(attention(dtype), "mixed",
                 "def run(q, k, v):\n"
                 "    p = torch.softmax(q.float() @ k[:-1].float().T * 0.125, dim=-1)\n"
                 "    return (p @ v[:-1].float()).to(q.dtype)\n");
  }
}

TEST_F(Structured, WhatIsNotFairIsDropped) {
  const auto dropped = [](const Task& task, bool structured = true) {
    const Definition reference = definition_of(task, task.reference);
    const auto line = workload_of(task);
    const PreparedWorkload made = prepared(reference, line, 1, evaluator(EvaluatorChoice::libtorch),
                                           {.structured = structured, .special = true});
    std::map<std::string, std::string> out;
    for (const auto& [name, why] : made.input_sets.value().dropped) out[name] = why;
    EXPECT_EQ(made.structured.size() + out.size(), 10U);
    return out;
  };
  const auto elementwise = [](const std::string& body, const std::string& output = "float32") {
    return Task{"test",
                {{"M", 20}, {"N", 16}},
                {{"x", tensor({"M", "N"}, "float32")}},
                {{"y", tensor({"M", "N"}, output)}},
                "def run(x):\n    return " + body + "\n"};
  };
  EXPECT_EQ(dropped(elementwise("x * 2")).count("mixed"), 0U);
  EXPECT_EQ(dropped(elementwise("x * 2")).at("skewed"), "there is no input to vary");
  EXPECT_EQ(dropped(elementwise("x / x.abs().sum(-1, keepdim=True)")).at("mixed"),
            "the answer is not finite");
  EXPECT_EQ(dropped(elementwise("x.gather(-1, torch.sort(x, dim=-1)[1])")).at("exact"),
            "something follows from which of equal numbers the reference chooses");
  EXPECT_EQ(dropped(elementwise("(x * 3 > 1).to(torch.int32)", "int32")).at("mixed"),
            "output \"y\" is judged by bits");
  EXPECT_EQ(dropped(elementwise("x * 2"), false).at("exact"), "the configuration says so");
  EXPECT_EQ(dropped(elementwise("torch.log(x)")).at("exact"), "there is no input to vary");
}

// Each kind comes, whatever the seed, in few rows, too.
TEST_F(Structured, AMaximumOfAFewRows) {
  for (const std::string& dtype : dtypes) {
    for (const int rows : {1, 4}) {
      const Task task = softmax(dtype, rows, 1000);
      const auto from = [](const std::string& maximum) {
        return "def run(x):\n    f = x.float()\n    e = torch.exp(f" + maximum +
               ")\n    return (e / e.sum(-1, keepdim=True)).to(x.dtype)\n";
      };
      expect_wrong(task, "mixed", from(""));
      expect_wrong(task, "mixed", from(" - f.amax(-1, keepdim=True).clamp(min=0)"));
      expect_right(task, {from(" - f.amax(-1, keepdim=True)")});
    }
  }
}

TEST_F(Structured, FarRowsAreRightByOtherFormulas) {
  for (const std::string& dtype : dtypes) {
    expect_right(softmax(dtype, 4, 1000),
                 {"def run(x):\n    f = x.float() * 1.4426950408889634\n"
                  "    e = torch.exp2(f - f.amax(-1, keepdim=True))\n"
                  "    return (e / e.sum(-1, keepdim=True)).to(x.dtype)\n",
                  "def run(x):\n    f = x.float()\n"
                  "    return torch.exp(f - torch.logsumexp(f, -1, keepdim=True)).to(x.dtype)\n"});
  }
}

// The mean of one part is not that of another: of halves, and of lanes that take every second.
TEST_F(Structured, VariancesOfPartsThatForgetTheirMeans) {
  Task task = norm("float32",
                   "    d = f - f.mean(-1, keepdim=True)\n"
                   "    return (d * torch.rsqrt(d.pow(2).mean(-1, keepdim=True) + 1e-5) * w)\n");
  const auto merged = [](const std::string& parts, const std::string& between) {
    return "def run(x, w):\n    p = " + parts +
           "\n    m = p.mean(2)\n    v = p.var(2, unbiased=False).mean(1)" + between +
           "\n    m = m.mean(1)\n"
           "    return (x - m[:, None]) * torch.rsqrt(v[:, None] + 1e-5) * w\n";
  };
  for (const int rows : {1, 4}) {
    task.axes["M"] = rows;
    for (const std::string parts : {"x.reshape(-1, 8, 128)", "x.reshape(-1, 32, 32).mT"}) {
      expect_wrong(task, "mixed", merged(parts, ""));
      expect_right(task, {merged(parts, " + m.var(1, unbiased=False)")});
    }
  }
}

}  // namespace
}  // namespace kbench::structured
