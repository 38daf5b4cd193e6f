// Promises of an audit about inputs, answers and records.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "judge/judge.hpp"
#include "judge/records.hpp"

namespace kbench {
namespace {

using nlohmann::json;

JudgeOptions audit(std::int64_t sets, int threads = 1) {
  JudgeOptions how;
  how.audit.emplace().sets = sets;
  how.threads = threads;
  return how;
}

Stored<Solution> copies_and_prints(const std::string& name, const std::string& more = "") {
  return solution(
      name, "copy", true,
      "#include <cstdio>\n#include \"kbench_ffi.h\"\n"
      "void copy(kbench::Tensor x, kbench::Tensor y) {\n"
      "  for (int64_t i = 0; i < x.numel(); ++i) y.data<float>()[i] = x.data<float>()[i];\n" +
          more + "}\nKBENCH_EXPORT(run, copy)\n");
}

TEST(Audit, TakesEachSetOnceInSomeOrder) {
  const Evaluation good =
      judge_one(definition("copy", tensor_y, "x + 0"), copies_and_prints("c"), audit(20));
  ASSERT_EQ(good.status, Status::passed) << good.log;
  const AuditRecord& record = *good.kbench->audit;
  EXPECT_EQ(good.kbench->trust, "audit");
  EXPECT_EQ(record.calls, 20);
  EXPECT_EQ(record.pool, 20);
  EXPECT_EQ(good.kbench->trials, 20);
  EXPECT_EQ(std::set<std::int64_t>(record.order.begin(), record.order.end()).size(), 20U);
  EXPECT_FALSE(std::is_sorted(record.order.begin(), record.order.end()));  // sorted once in 20!
  EXPECT_TRUE(record.fresh);
  EXPECT_TRUE(record.secret_seed);
  EXPECT_NE(good.kbench->seed, "0");
  EXPECT_EQ(good.kbench->timing->clock, "judge");
  EXPECT_EQ(good.kbench->timing->cache, "fresh");
  EXPECT_EQ(good.kbench->timing->calls_per_sample, 1);
  EXPECT_EQ(good.kbench->timing->samples_ns.size(), 20U);
  EXPECT_GT(record.overhead_ns.value_or(0), 0);
}

TEST(Audit, BlocksWhereTheCandidateHasAllCores) {
  const Evaluation good =
      judge_one(definition("copy", tensor_y, "x + 0"), copies_and_prints("c"), audit(8, 4096));
  ASSERT_EQ(good.status, Status::passed) << good.log;
  EXPECT_EQ(good.kbench->audit->waiting, "blocking");
}

TEST(Audit, EndsWithTheFirstWrongCall) {
  const Evaluation wrong =
      judge_one(definition("copy", tensor_y, "x + 0"),
                copies_and_prints(
                    "w", "  static int calls = 0;\n  if (++calls == 7) y.data<float>()[3] += 9;\n"),
                audit(20));
  EXPECT_EQ(wrong.status, Status::incorrect_numerical);
  EXPECT_EQ(wrong.kbench->audit->order.size(), 7U);
  EXPECT_EQ(wrong.log.rfind("call 7 of 20 (input set ", 0), 0U) << wrong.log;
}

TEST(Audit, FixedInputsAreNotFresh) {
  Stored<Definition> fixed = stored<Definition>(
      {{"name", "fixed"},
       {"op_type", "test"},
       {"axes", {{"N", {{"type", "var"}}}}},
       {"inputs", {{"x", {{"shape", nullptr}, {"dtype", "float32"}}}}},
       {"outputs", tensor_y},
       {"reference", "import torch\n\ndef run(x):\n    return torch.full((100,), x)\n"}});
  TraceSet set;
  set.definitions.push_back(std::move(fixed));
  set.solutions.push_back(solution("f", "fixed", true,
                                   "#include \"kbench_ffi.h\"\n"
                                   "void fill(double x, kbench::Tensor y) {\n"
                                   "  for (int64_t i = 0; i < y.numel(); ++i)\n"
                                   "    y.data<float>()[i] = static_cast<float>(x);\n"
                                   "}\nKBENCH_EXPORT(run, fill)\n"));
  set.workloads.push_back(
      stored<Trace>({{"definition", "fixed"},
                     {"workload",
                      {{"axes", {{"N", 100}}},
                       {"inputs", {{"x", {{"type", "scalar"}, {"value", 2.5}}}}},
                       {"uuid", "fixed"}}},
                     {"solution", nullptr},
                     {"evaluation", nullptr}}));
  const auto lines = set.workloads;
  const Evaluation good = judge(set, lines, audit(20)).at("f").evaluation.value();
  ASSERT_EQ(good.status, Status::passed) << good.log;
  EXPECT_FALSE(good.kbench->audit->fresh);
  EXPECT_EQ(good.kbench->audit->pool, 1);
  EXPECT_EQ(good.kbench->audit->calls, 16);
}

// The candidate may change what the reference changes in place: each call has its own content.
TEST(Audit, InputsThatAreChangedInPlaceAreCopiedForEachCall) {
  Stored<Definition> changes = definition("changes", tensor_y, "x.mul_(2) + 1");
  const Evaluation good =
      judge_one(std::move(changes),
                solution("s", "changes", true,
                         "#include \"kbench_ffi.h\"\n"
                         "void change(kbench::Tensor x, kbench::Tensor y) {\n"
                         "  for (int64_t i = 0; i < x.numel(); ++i)\n"
                         "    y.data<float>()[i] = (x.data<float>()[i] *= 2) + 1;\n"
                         "}\nKBENCH_EXPORT(run, change)\n"),
                audit(10));
  EXPECT_EQ(good.status, Status::passed) << good.log;
}

TEST(Audit, NumbersThatAreReturnedAreJudged) {
  const auto returns = [](const std::string& value) {
    return solution("r", "first", false,
                    "#include \"kbench_ffi.h\"\nextern \"C\" int __tvm_ffi_run(void*, const "
                    "kbench::Any* args, int32_t, kbench::Any* result) {\n"
                    "  const kbench::Tensor x(static_cast<const kbench::DLTensor*>("
                    "args[0].as_pointer));\n"
                    "  result->type_index = kbench::kFloat;\n  result->as_float = " +
                        value + ";\n  return 0;\n}\n");
  };
  const json number = {{"y", {{"shape", nullptr}, {"dtype", "float32"}}}};
  const Evaluation right = judge_one(definition("first", number, "float(x[3])"),
                                     returns("x.data<float>()[3]"), audit(8));
  EXPECT_EQ(right.status, Status::passed) << right.log;
  const Evaluation wrong = judge_one(definition("first", number, "float(x[3])"),
                                     returns("x.data<float>()[3] + 1"), audit(8));
  EXPECT_EQ(wrong.status, Status::incorrect_numerical) << wrong.log;
}

}  // namespace
}  // namespace kbench
