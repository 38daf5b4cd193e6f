#include "problem/data/reference_facts.hpp"

#include "data/value_case.hpp"

namespace kbench {
namespace {

ReferenceFacts facts(const std::string& body) {
  ValueCase c("import torch\n\n\n@torch.no_grad()\ndef run(x, w, ids, bounds, eps=1e-6):\n" + body);
  c.axis("n", 4).axis("m", 5).constant("d", 3);
  c.input("x", DType::float32, {"n", "d"}).input("w", DType::float32, {"m", "n", "d"});
  c.input("ids", DType::int32, {"n"}).input("bounds", DType::int64, {"m"});
  return reference_facts(c.definition);
}

TEST(ReferenceFacts, AnIndexIsFollowedThroughNamesAndConversions) {
  const auto found = facts(R"(    w2 = w.to(torch.float32)
    for b in range(3):
        beg = int(bounds[b].item())
        page = ids[beg:beg + 1].to(torch.long)
        for k, one in enumerate(page):
            y = w2[one, :beg]
)");
  ASSERT_EQ(found.use("ids").indexed.size(), 1U);
  EXPECT_EQ(found.use("ids").indexed[0].low, "0");
  EXPECT_EQ(found.use("ids").indexed[0].high, "m - 1");
}

TEST(ReferenceFacts, AReshapeMakesSeveralAxesOne) {
  const auto found = facts("    flat = w.float().view(-1, 3)\n    return flat[ids.long()]\n");
  EXPECT_EQ(found.use("ids").indexed.at(0).high, "(((m * n) * d) // 3) - 1");
}

TEST(ReferenceFacts, APlaceInATupleIsAnAxis) {
  EXPECT_EQ(facts("    return w[:, ids]\n").use("ids").indexed.at(0).high, "n - 1");
}

TEST(ReferenceFacts, BoundsOfSlicesAreNoIndices) {
  EXPECT_TRUE(facts("    return w[ids[0]:ids[1]]\n").use("ids").indexed.empty());
}

TEST(ReferenceFacts, ComparisonsWithMinusOneMeanPadding) {
  EXPECT_TRUE(facts("    m = ids != -1\n").use("ids").padded);
  EXPECT_TRUE(facts("    for i in range(4):\n        if int(ids[i]) < 0:\n            continue\n")
                  .use("ids")
                  .padded);
  EXPECT_FALSE(facts("    m = ids > 3\n").use("ids").padded);
}

TEST(ReferenceFacts, LocalNamesOfLengths) {
  const auto found = facts("    n_, d_ = x.shape\n    last = w.shape[-1]\n    size = 64\n");
  EXPECT_EQ(found.sizes.at("n_"), "n");
  EXPECT_EQ(found.sizes.at("last"), "d");
  EXPECT_EQ(found.sizes.at("size"), "64");
}

TEST(ReferenceFacts, ChecksDefaultsAndSkips) {
  const auto found =
      facts("    assert x.shape[0] == 4, 'four'\n    while True:\n        continue\n");
  EXPECT_EQ(found.checks, (std::vector<std::string>{"x.shape[0] == 4"}));
  EXPECT_EQ(found.defaults.at("eps"), "1e-6");
  EXPECT_TRUE(found.skips);
}

TEST(ReferenceFacts, GatesAndTheDirectionInWhichTheyKeep) {
  const auto gates = [](const std::string& body) {
    const auto found = facts("    h = x[0]\n" + body + "    return h\n");
    return found.recurs ? found.gates : std::map<std::string, int>{};
  };
  using Gates = std::map<std::string, int>;
  EXPECT_EQ(gates("    a = torch.sigmoid(x.float())\n    for i in range(4):\n"
                  "        h = a[i] * h + 1\n"),
            (Gates{{"x", 1}}));
  EXPECT_EQ(gates("    for i in range(4):\n        z = torch.sigmoid(x[i] @ w[0] + x[i])\n"
                  "        h = (1 - z) * h + z * x[i]\n"),
            (Gates{{"x", -1}}));
  EXPECT_EQ(gates("    g = -torch.exp(w) * F.softplus(x)\n    for i in range(4):\n"
                  "        h = h * g[i].exp() + x[i]\n"),
            (Gates{{"w", -1}, {"x", -1}}));
  EXPECT_EQ(gates("    a = 1 / (1 + torch.exp(-x))\n    for i in range(4):\n        h *= a[i]\n"),
            (Gates{{"x", 1}}));
  EXPECT_EQ(gates("    p = torch.cumprod(torch.sigmoid(x), 0)\n    h = p * h\n"),
            (Gates{{"x", 1}}));
  EXPECT_EQ(gates("    h = torch.sigmoid(x) * x\n"), Gates{});
}

TEST(ReferenceFacts, WhatIsNoPythonSaysNothing) {
  ValueCase c("def run(:\n");
  EXPECT_TRUE(reference_facts(c.definition).uses.empty());
}

}  // namespace
}  // namespace kbench
