#include "data/value_plan.hpp"

#include "data/value_case.hpp"

namespace kbench {
namespace {

// A paged decode as real definitions write it.
ValueCase paged() {
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
  const auto rule = paged().rule("kv_indptr");
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
  const auto rule = paged().rule("kv_indices");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->kind, ValueKind::page_ids);
  EXPECT_EQ(rule->high, 11);
  EXPECT_TRUE(rule->distinct);
}

TEST(ValuePlan, PagesHaveTheirSize) {
  const auto rule = paged().rule("kv_last_page_len");
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
  ValueCase c("import torch.nn.functional as F\n\ndef run(which, w):\n    return F.embedding(which, w)\n");
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
  ValueCase c = paged();
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
  ValueCase c = paged();
  c.definition.reference = "def run(k_cache, kv_indices):\n    pass\n";
  c.workload.axes["num_kv_indices"] = 2;
  EXPECT_EQ(only_message(c, "kv_indptr"),
            "workload w: 'kv_indptr' ends with 2, too few for 3 sequences");
}

TEST(ValuePlan, ReferencesThatSkipEmptySequencesTakeThem) {
  ValueCase c = paged();
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

}  // namespace
}  // namespace kbench
