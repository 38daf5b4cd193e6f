#include "problem/data/value_plan.hpp"

#include <algorithm>

#include "data/value_case.hpp"

namespace kbench {
namespace {

// A paged decode as real definitions write it.
ValueCase paged_decode() {
  ValueCase c(R"(import torch

def run(q, k_cache, kv_indptr, kv_indices, kv_last_page_len):
    k = k_cache.to(torch.float32)
    for b in range(3):
        if kv_indptr[b] >= kv_indptr[b + 1]:
            continue
        ids = kv_indices[kv_indptr[b]:kv_indptr[b + 1]].to(torch.long)
        x = k[ids[:-1], 0]
)");
  c.axis("batch_size", 3).axis("len_indptr", 4).axis("num_kv_indices", 9).axis("num_pages", 12);
  c.constant("page_size", 16).constant("head_dim", 8);
  c.input("q", DType::bfloat16, {"batch_size", "head_dim"});
  c.input("k_cache", DType::bfloat16, {"num_pages", "page_size", "head_dim"});
  c.input("kv_indptr", DType::int32, {"len_indptr"});
  c.input("kv_indices", DType::int32, {"num_kv_indices"});
  c.input("kv_last_page_len", DType::int32, {"batch_size"});
  c.constraint("num_kv_indices == kv_indptr[-1].item()");
  return c;
}

TEST(ValuePlan, AnIndptrEndsWhereTheConstraintSays) {
  const auto rule = paged_decode().rule("kv_indptr");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->kind, ValueKind::indptr);
  EXPECT_EQ(rule->total, 9);
  EXPECT_FALSE(rule->empty);
}

TEST(ValuePlan, AnIndptrEndsWhereTheReferenceAsserts) {
  ValueCase c("def run(x, bounds):\n    T = x.shape[0]\n    assert T == bounds[-1].item(), 'm'\n");
  c.axis("rows", 10).axis("n", 3);
  c.input("x", DType::float32, {"rows"}).input("bounds", DType::int64, {"n"});
  const auto rule = c.rule("bounds");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->kind, ValueKind::indptr);
  EXPECT_EQ(rule->total, 10);
}

TEST(ValuePlan, IdsAreOfWhatTheReferenceIndexes) {
  const auto rule = paged_decode().rule("kv_indices");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->kind, ValueKind::page_ids);
  EXPECT_EQ(rule->high, 11);
  EXPECT_TRUE(rule->distinct);
}

TEST(ValuePlan, PagesHaveTheirSize) {
  const auto rule = paged_decode().rule("kv_last_page_len");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->low, 1);
  EXPECT_EQ(rule->high, 16);
}

TEST(ValuePlan, OtherInputsKeepTheirDistribution) {
  ValueCase c;
  c.axis("M", 4).input("A", DType::int8, {"M"}).input("C", DType::int32, {"M"});
  EXPECT_FALSE(c.rule("A"));
  EXPECT_FALSE(c.rule("C"));
  EXPECT_TRUE(c.diagnostics.empty());
}

TEST(ValuePlan, AFlattenedCacheIsIndexedByTokens) {
  ValueCase c(R"(def run(cache, chosen):
    flat = cache.reshape(-1, 8).float()
    for t in range(2):
        row = chosen[t]
        mask = row != -1
        x = flat[row[mask].long()]
)");
  c.axis("num_pages", 5).constant("page", 4).constant("d", 8).axis("n", 2).axis("k", 6);
  c.input("cache", DType::float32, {"num_pages", "page", "d"});
  c.input("chosen", DType::int32, {"n", "k"}, random_of(ValueKind::sparse_ids));
  const auto rule = c.rule("chosen");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->high, 19);
  EXPECT_TRUE(rule->padding);
}

TEST(ValuePlan, WhatIsIndexedByAnyNameIsAnId) {
  ValueCase c(
      "import torch.nn.functional as F\n\ndef run(which, w):\n    return F.embedding(which, w)\n");
  c.axis("n", 4).constant("rows", 50).constant("d", 2);
  c.input("which", DType::int64, {"n"}).input("w", DType::float32, {"rows", "d"});
  const auto rule = c.rule("which");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->kind, ValueKind::ids);
  EXPECT_EQ(rule->high, 49);
}

TEST(ValuePlan, AnAssertBoundsIds) {
  ValueCase c("def run(token_ids):\n    assert token_ids.max() < 17 and (token_ids >= 0).all()\n");
  c.axis("n", 4).input("token_ids", DType::int64, {"n"});
  const auto rule = c.rule("token_ids");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->high, 16);
}

TEST(ValuePlan, ExpertsByTheirAxis) {
  ValueCase c("def run(topk_ids):\n    pass\n", "moe");
  c.axis("n", 4).constant("num_experts", 8).constant("top_k", 2);
  c.input("topk_ids", DType::int32, {"n", "top_k"});
  EXPECT_EQ(c.rule("topk_ids")->kind, ValueKind::expert_ids);
  c.definition.reference = "def run(topk_ids):\n    e = topk_ids >> 16\n";
  EXPECT_EQ(c.rule("topk_ids")->kind, ValueKind::packed_expert_ids);
}

TEST(ValuePlan, WhatMultinomialDrawsByAreProbabilities) {
  ValueCase c("import torch\n\ndef run(p):\n    return torch.multinomial(p.float(), 1)\n", "x");
  c.axis("n", 4).axis("v", 8).input("p", DType::float32, {"n", "v"});
  EXPECT_EQ(c.rule("p")->kind, ValueKind::probs);
}

TEST(ValuePlan, TheWorkloadsKindComesFirst) {
  ValueCase c = paged_decode();
  RandomInput random = random_of(ValueKind::ids);
  random.low = 2;
  random.high = 5;
  c.workload.inputs["kv_indices"] = random;
  const auto rule = c.rule("kv_indices");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->kind, ValueKind::ids);
  EXPECT_EQ(rule->low, 2);
  EXPECT_EQ(rule->high, 5);
}

std::string only_message(ValueCase& c, const std::string& name) {
  EXPECT_FALSE(c.rule(name));
  return c.diagnostics.items().size() == 1 ? c.diagnostics.items()[0].message : "not one message";
}

TEST(ValuePlan, TooFewPagesAreSaid) {
  ValueCase c = paged_decode();
  c.definition.reference = "def run(k_cache, kv_indices):\n    pass\n";
  c.workload.axes["num_kv_indices"] = 2;
  EXPECT_EQ(only_message(c, "kv_indptr"),
            "workload w: 'kv_indptr' ends with 2, too few for 3 sequences");
}

TEST(ValuePlan, ReferencesThatSkipEmptySequencesTakeThem) {
  ValueCase c = paged_decode();
  c.workload.axes["num_kv_indices"] = 2;
  ASSERT_TRUE(c.rule("kv_indptr"));
  EXPECT_TRUE(c.rule("kv_indptr")->empty);
}

TEST(ValuePlan, SlotsMustSuffice) {
  ValueCase c;
  c.axis("n", 4).axis("num_slots", 3).input("slot_mapping", DType::int32, {"n"});
  EXPECT_EQ(only_message(c, "slot_mapping"),
            "workload w: 'slot_mapping' needs 4 different values, there are 3");
}

TEST(ValuePlan, AKindThatDoesNotFitTheInputIsSaid) {
  ValueCase c;
  c.axis("n", 4).input("x", DType::float32, {"n"}, random_of(ValueKind::indptr));
  EXPECT_EQ(only_message(c, "x"), "workload w: 'x' is float32, which kind \"indptr\" is not for");
}

TEST(ValuePlan, AnIndexOfNothingKnownIsAWarning) {
  ValueCase c;
  c.axis("n", 4).input("some_ids", DType::int32, {"n"});
  EXPECT_EQ(only_message(c, "some_ids"),
            "workload w: 'some_ids' looks like ids, but nothing says of what");
  EXPECT_EQ(c.diagnostics.errors(), 0U);
}

TEST(ValuePlan, MoreQueriesThanKeysUnderACausalMaskAreSaid) {
  ValueCase c;
  c.definition.name = "gqa_ragged_prefill_causal";
  c.axis("n", 3).axis("total_q", 9).axis("total_kv", 5);
  c.input("qo_indptr", DType::int32, {"n"}).input("kv_indptr", DType::int32, {"n"});
  EXPECT_EQ(only_message(c, "qo_indptr"),
            "workload w: 'qo_indptr' ends with 9: more queries than keys");
}

// A key that would be dropped, or that no values can fulfil with the others.
TEST(ValuePlan, KeysThatDoNotGoWithAKindAreRefused) {
  const auto complaint = [](DType dtype, RandomInput random) {
    ValueCase c;
    c.axis("n", 4).input("t", dtype, {"n"}, random);
    c.plan();
    return c.diagnostics.errors() > 0 ? c.diagnostics.items().front().message : "";
  };
  const auto random = [](ValueKind kind) {
    RandomInput out;
    out.kind = kind;
    return out;
  };
  RandomInput given = random(ValueKind::indptr);
  given.total = 9;
  EXPECT_EQ(complaint(DType::int32, given), "");
  given.low = 3;
  EXPECT_NE(complaint(DType::int32, given).find("has \"low\""), std::string::npos);
  given = random(ValueKind::permutation);
  given.high = 2;
  EXPECT_NE(complaint(DType::int32, given).find("has \"high\""), std::string::npos);
  given = random(ValueKind::permutation);
  given.low = 2147483646;  // its last number is none of int32's
  EXPECT_NE(complaint(DType::int32, given).find("cannot hold"), std::string::npos);
  given = random(ValueKind::positive);
  given.low = -3;
  EXPECT_NE(complaint(DType::float32, given).find("has \"low\""), std::string::npos);
  given = random(ValueKind::seq_lens);
  given.total = 3;
  EXPECT_NE(complaint(DType::int32, given).find("too little"), std::string::npos);
  given.low = 0;
  EXPECT_EQ(complaint(DType::int32, given), "");
  given.high = 1;
  EXPECT_NE(complaint(DType::int32, given).find("do not go together"), std::string::npos);
}

// What a reference does with an integer input of any name says what it must be.
struct Use {
  const char* what;
  const char* body;  // of run(x, t), x [V=9, D=4], t [B=5]
  ValueKind kind;
  std::int64_t low;
  std::int64_t high;
};

class ValuePlanByUse : public testing::TestWithParam<Use> {};

TEST_P(ValuePlanByUse, IsSeen) {
  const Use& use = GetParam();
  ValueCase c(std::string("import torch\nimport torch.nn.functional as F\n\n"
                          "def pick(source, k):\n    return source[k]\n\ndef run(x, t):\n") +
                  use.body,
              "any");
  c.axis("V", 9).axis("B", 5).constant("D", 4);
  c.input("x", DType::float32, {"V", "D"}).input("t", DType::int64, {"B"});
  const auto rule = c.rule("t");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->kind, use.kind);
  EXPECT_EQ(rule->low, use.low);
  EXPECT_EQ(rule->high, use.high);
  EXPECT_EQ(rule->sign, "the reference");
}

using enum ValueKind;
const Use uses[] = {
    {"gather", "    return torch.gather(x, 0, t[:, None])\n", ids, 0, 8},
    {"method_gather", "    return x.gather(dim=1, index=t[None])\n", ids, 0, 3},
    {"take", "    return torch.take(x, t)\n", ids, 0, 35},
    {"take_along_dim", "    return torch.take_along_dim(x, t[None], dim=-1)\n", ids, 0, 3},
    {"index_select", "    return x.index_select(1, t)\n", ids, 0, 3},
    {"embedding", "    return F.embedding(t, x)\n", ids, 0, 8},
    {"one_hot", "    return F.one_hot(t, num_classes=x.shape[0])\n", ids, 0, 8},
    {"cross_entropy", "    return F.cross_entropy(x[:5], t)\n", ids, 0, 3},
    {"index_add", "    y = torch.zeros(3, 4)\n    y.index_add_(0, t, x)\n", ids, 0, 2},
    {"scatter_add", "    y = x.new_zeros(7, 4)\n    return y.scatter_add(0, t, x)\n", ids, 0, 6},
    {"store", "    y = torch.zeros_like(x)\n    y[t] = x\n", ids, 0, 8},
    {"loop", "    for i in range(5):\n        y = x[t[i].item()]\n", ids, 0, 8},
    {"list", "    return [x[i] for i in t.tolist()]\n", ids, 0, 8},
    {"arithmetic", "    w = t.long() - 1\n    return x[w]\n", ids, 1, 9},
    {"both_neighbours", "    return x[t] + x[t + 1]\n", ids, 0, 7},
    {"helper", "    return pick(x, t.long())\n", ids, 0, 8},
    {"remainder", "    return x[t % 9]\n", ids, 0, 8},
    {"page_and_place", "    c = x.view(9, 2, 2)\n    return c[t // 2, t % 2]\n", ids, 0, 17},
    {"pages", "    return x[t[:, None] * 3 + torch.arange(3)]\n", ids, 0, 2},
    {"one_of", "    for g in range(3):\n        y = x[:5][t == g]\n", ids, 0, 2},
    {"slice", "    for i in range(5):\n        y = x[:int(t[i])]\n", seq_lens, 1, 9},
    {"mask", "    m = torch.arange(x.shape[0])[None] < t[:, None]\n", seq_lens, 1, 9},
    {"range", "    for b in range(5):\n        for i in range(int(t[b])):\n            y = x[i]\n",
     seq_lens, 1, 9},
    {"raise",
     "    n = int(t[0])\n    y = x[:n]\n    if n < 3 or n > 6:\n        raise ValueError(n)\n",
     seq_lens, 3, 6},
    {"pages_of_length", "    n = int(t[0])\n    y = x[: (n + 15) // 16]\n", seq_lens, 1, 144},
};
INSTANTIATE_TEST_SUITE_P(Uses, ValuePlanByUse, testing::ValuesIn(uses),
                         [](const auto& info) { return info.param.what; });

// Makes a case of sums, for where the last one ends, or what they make up.
ValueCase summed(const std::string& body) {
  ValueCase c("import torch\n\ndef run(x, t):\n" + body, "any");
  c.axis("T", 12).axis("n", 4).constant("D", 4);
  c.input("x", DType::float32, {"T", "D"}).input("t", DType::int32, {"n"});
  return c;
}

TEST(ValuePlan, SlicesBetweenNeighboursAreAnIndptr) {
  for (const char* body :
       {"    for i in range(3):\n        y = x[int(t[i]):int(t[i + 1])]\n",
        "    o = t.tolist()\n    return torch.stack([x[a:b].sum(0) for a, b in zip(o, o[1:])])\n",
        "    return x.split((t[1:] - t[:-1]).tolist())\n"}) {
    ValueCase c = summed(body);
    const auto rule = c.rule("t");
    ASSERT_TRUE(rule) << body;
    EXPECT_EQ(rule->kind, indptr);
    EXPECT_EQ(rule->total, 12);
    EXPECT_EQ(c.values("t").front(), 0);
  }
}

TEST(ValuePlan, EndsAloneHaveNoZero) {
  ValueCase c =
      summed("    s = 0\n    for i in range(4):\n        y = x[s:t[i]]\n        s = int(t[i])\n");
  const auto values = c.values("t");
  ASSERT_EQ(values.size(), 4U);
  EXPECT_GT(values.front(), 0);
  EXPECT_EQ(values.back(), 12);
}

TEST(ValuePlan, CountsSumToWhatTheyCover) {
  for (const char* body : {"    s = 0\n    for g in range(4):\n        n = int(t[g])\n        y = "
                           "x[s:s + n]\n        s += n\n",
                           "    return torch.split(x, t.tolist())\n",
                           "    o = torch.cumsum(t, 0)\n    y = x[o[0]:o[1]]\n"}) {
    const auto rule = summed(body).rule("t");
    ASSERT_TRUE(rule) << body;
    EXPECT_EQ(rule->kind, seq_lens);
    EXPECT_EQ(rule->total, 12);
  }
}

TEST(ValuePlan, RepeatsSumToAnOutputsLength) {
  ValueCase c = summed("    return torch.repeat_interleave(x, t, dim=0)\n");
  c.axis("rows", 7);
  c.definition.outputs["y"].shape = {"rows", "D"};
  EXPECT_EQ(c.rule("t")->total, 7);
}

TEST(ValuePlan, BeginsAndEndsShareTheirAxis) {
  ValueCase c = summed("    for i in range(4):\n        y = x[int(t[i]):int(e[i])]\n");
  c.definition.reference.replace(c.definition.reference.find("x, t)"), 5, "x, t, e)");
  c.input("e", DType::int32, {"n"});
  EXPECT_EQ(c.rule("t")->high, 5);
  EXPECT_EQ(c.rule("e")->low, 6);
  EXPECT_EQ(c.rule("e")->high, 12);
}

TEST(ValuePlan, WhereValuesAreStoredNoneComesTwice) {
  ValueCase c =
      summed("    y = torch.empty_like(t)\n    y[t] = torch.arange(4)\n    return x[y]\n");
  auto values = c.values("t");
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<double>{0, 1, 2, 3}));
}

TEST(ValuePlan, WhatARootIsTakenOfIsPositive) {
  ValueCase c(
      "import torch\n\ndef run(x, v):\n    y = x.var()\n    return x / torch.sqrt(v + 1e-5)\n");
  c.axis("n", 4).input("x", DType::float32, {"n"}).input("v", DType::float32, {"n"});
  EXPECT_EQ(c.rule("v")->kind, positive);
  EXPECT_FALSE(c.rule("x"));
}

}  // namespace
}  // namespace kbench
