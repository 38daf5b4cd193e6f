// Gradients of ranks: parts of dy, parts and sums of dx.
#include <gtest/gtest.h>

#include "judge/derive/sharded.hpp"
#include "judge/records.hpp"

namespace kbench {
namespace {

using nlohmann::json;

json tensor(const json& shape) { return {{"shape", shape}, {"dtype", "float32"}}; }

// y[M, K] = x[M, K] · w[K]
Stored<Definition> scaled() {
  return stored<Definition>({{"name", "scaled"},
                             {"op_type", "test"},
                             {"axes", {{"M", {{"type", "var"}}}, {"K", {{"type", "var"}}}}},
                             {"inputs", {{"x", tensor({"M", "K"})}, {"w", tensor({"K"})}}},
                             {"outputs", {{"y", tensor({"M", "K"})}}},
                             {"reference", "import torch\n\ndef run(x, w):\n    return x * w\n"}});
}

// JSON has its keys in the order of letters: w comes before x.
std::string scaling_source(const std::string& scale_of_dw, const std::string& more = "") {
  return R"(#include "kbench_ffi.h"
#include "kbench_rank.h"
#include <stdexcept>
using kbench::Tensor;
static void run(Tensor w, Tensor x, Tensor y) {
  for (int64_t i = 0; i < x.numel(); ++i)
    y.data<float>()[i] = x.data<float>()[i] * w.data<float>()[i % w.numel()];
}
static void vjp(Tensor w, Tensor x, Tensor, Tensor dy, Tensor dw, Tensor dx) {
  const kbench::Rank rank;
  for (int64_t j = 0; j < w.numel(); ++j) dw.data<float>()[j] = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t j = i % w.numel();
    dx.data<float>()[i] = dy.data<float>()[i] * w.data<float>()[j];
    dw.data<float>()[j] += dy.data<float>()[i] * x.data<float>()[i] * ()" +
         scale_of_dw + R"();
  }
)" + more +
         R"(
}
KBENCH_EXPORT(run, run)
KBENCH_EXPORT(fwd_with_residuals, run)
KBENCH_EXPORT(vjp, vjp)
)";
}

Evaluation judged(const std::string& text, const std::string& axis, std::int64_t ranks,
                  const std::string& transport = "turn") {
  JudgeOptions options;
  options.rule = "kbench";
  ShardResult result;
  options.judge_pair = [&](const Job& job, const PreparedWorkload& workload,
                           const Solution& solution, const BuildResult& build,
                           const EvaluateOptions& how) {
    Diagnostics reports;
    ShardPlan plan;
    plan.layout =
        shard_layout(*job.definition, workload.problem, {{axis}, ranks, {}}, {}, reports).value();
    plan.combine = find_combine("concat");
    plan.transport = find_transport(transport);
    plan.function = "vjp";
    plan.local_function = "run";
    EXPECT_EQ(unfit_backward(plan, workload.problem), "");
    const ShardedGradient gradient{
        *job.definition,
        {},
        {{"fwd_with_residuals", "fwd_with_residuals", "generic"}, {"vjp", "vjp", "generic"}}};
    return evaluate_sharded_gradient({workload, solution, build, how}, plan, gradient, result);
  };
  TraceSet set;
  set.definitions.push_back(scaled());
  set.solutions.push_back(solution("s", "scaled", true, text));
  const auto line =
      stored<Trace>({{"definition", "scaled"},
                     {"workload",
                      {{"axes", {{"M", 6}, {"K", 8}}},
                       {"inputs", {{"x", {{"type", "random"}}}, {"w", {{"type", "random"}}}}},
                       {"uuid", "w"}}},
                     {"solution", nullptr},
                     {"evaluation", nullptr}});
  set.workloads.push_back(line);
  return judge(set, {line}, options).at("s").evaluation.value();
}

TEST(ShardedGradient, CutInputsAreJoinedAndReplicatedOnesAddedUp) {
  for (const std::string axis : {"M", "K"}) {
    const Evaluation good = judged(scaling_source("1"), axis, 2);
    EXPECT_EQ(good.status, Status::passed) << axis << ": " << good.log;
  }
  const Evaluation at_once = judged(scaling_source("1"), "M", 3, "processes");
  EXPECT_EQ(at_once.status, Status::passed) << at_once.log;
}

TEST(ShardedGradient, OneRankIsTheWhole) {
  const Evaluation good = judged(scaling_source("1"), "M", 1);
  EXPECT_EQ(good.status, Status::passed) << good.log;
}

// All ranks have the whole of w: a kernel that gives each the gradient of all is right alone, and
// one that forgets a rank's part is wrong.
TEST(ShardedGradient, APartThatIsMissingShows) {
  const Evaluation wrong = judged(scaling_source("rank.rank() == 1 ? 0 : 1"), "M", 3);
  EXPECT_EQ(wrong.status, Status::incorrect_numerical);
  EXPECT_NE(wrong.kbench->cause.value_or("").find("output \"d_w\""), std::string::npos)
      << wrong.log;
  const Evaluation mean = judged(scaling_source("1.0f / rank.size()"), "M", 3);
  EXPECT_EQ(mean.status, Status::incorrect_numerical) << mean.log;
}

TEST(ShardedGradient, ARankThatFailsIsNamed) {
  const Evaluation failed = judged(
      scaling_source("1", "if (rank.rank() == 2) throw std::runtime_error(\"no luck\");"), "M", 3);
  EXPECT_EQ(failed.status, Status::runtime_error);
  EXPECT_EQ(failed.kbench->cause.value_or("").rfind("vjp: rank 2: ", 0), 0U) << failed.log;
}

TEST(ShardedGradient, OfWhatIsNoSumItIsNotKnownWhatARankGets) {
  Problem whole;
  whole.outputs = {{"y", DType::float32, false, {4}}};
  ShardPlan plan;
  plan.layout = {{"K"}, 2, {0}, {-1}};
  plan.combine = find_combine("max");
  EXPECT_EQ(unfit_backward(plan, whole),
            "y is whole on every rank and combined by max: only of a sum is it known what of dy a "
            "rank gets");
  plan.combine = find_combine("sum");
  EXPECT_EQ(unfit_backward(plan, whole), "");
}

}  // namespace
}  // namespace kbench
