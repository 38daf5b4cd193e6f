#include "judge/derive/gradient_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "judge/builds.hpp"
#include "judge/derive/direction.hpp"
#include "judge/run_caches.hpp"
#include "kernels/registry/sidecar.hpp"
#include "problem/element.hpp"
#include "schema/trace_set.hpp"

namespace kbench {
namespace {

Problem norm() {
  Problem out;
  out.axes.items = {{"rows", 3}, {"n", 4}};
  out.inputs = {{{"x", DType::bfloat16, false, {3, 4}}, RandomInput{}},
                {{"weight", DType::float32, false, {4}}, RandomInput{}},
                {{"ids", DType::int32, false, {3}}, RandomInput{}},
                {{"eps", DType::float32, true, {}}, RandomInput{}}};
  out.outputs = {{"y", DType::bfloat16, false, {3, 4}}, {"best", DType::int64, false, {3}}};
  return out;
}

std::vector<std::string> names_of(const std::vector<InputPlan>& inputs) {
  std::vector<std::string> out;
  for (const InputPlan& input : inputs) out.push_back(input.tensor.name);
  return out;
}

std::vector<std::string> names_of(const std::vector<TensorPlan>& tensors) {
  std::vector<std::string> out;
  for (const TensorPlan& tensor : tensors) out.push_back(tensor.name);
  return out;
}

using Names = std::vector<std::string>;

TEST(GradientProblem, HasResidualsInputsOutputsAndCotangentsInOrder) {
  const GradientProblem g =
      gradient_problem(norm(), {{}, {{"rstd", {"rows"}, DType::float32, {}}}});
  EXPECT_EQ(names_of(g.forward.inputs), (Names{"x", "weight", "ids", "eps"}));
  EXPECT_EQ(names_of(g.forward.outputs), (Names{"y", "best", "rstd"}));
  EXPECT_EQ(names_of(g.backward.inputs),
            (Names{"rstd", "x", "weight", "ids", "eps", "y", "best", "d_y"}));
  EXPECT_EQ(names_of(g.backward.outputs), (Names{"d_x", "d_weight"}));
  EXPECT_EQ(g.forward.outputs.back().shape, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(g.backward.outputs.front().dtype, DType::bfloat16);
}

TEST(GradientProblem, LeavesOutWhatIsDeclaredNondiff) {
  const GradientProblem g = gradient_problem(norm(), {{{"weight", {}}}, {}});
  EXPECT_EQ(names_of(g.backward.outputs), (Names{"d_x"}));
  EXPECT_EQ(g.nondiff, (std::vector<std::size_t>{1}));
}

TEST(GradientProblem, NamesNoTwoTensorsAlike) {
  Problem problem = norm();
  problem.outputs[0].name = "x";  // the input's name, like an operator in place
  problem.inputs[1].tensor.name = "d_x";
  const GradientProblem g = gradient_problem(problem, {});
  EXPECT_EQ(names_of(g.backward.inputs), (Names{"x", "d_x", "ids", "eps", "x_", "best", "d_x_"}));
  EXPECT_EQ(names_of(g.backward.outputs), (Names{"d_x__", "d_d_x"}));
}

TEST(Cotangents, AreNeverAllOnes) {
  const GradientProblem g = gradient_problem(norm(), {});
  const auto all = cotangents_for(g, 7);
  ASSERT_EQ(all.size(), 3U);  // random, one-hot at a random element, one-hot at the last
  EXPECT_EQ(all[0].label, "random");
  EXPECT_EQ(all[2].label, "one-hot y[2, 3]");
  for (const Cotangent& cotangent : all) {
    ASSERT_EQ(cotangent.tensors.size(), 1U) << "of the floating output alone";
    const std::vector<double> values = decoded(cotangent.tensors[0].tensor);
    EXPECT_FALSE(std::all_of(values.begin(), values.end(), [](double v) { return v == 1; }));
  }
  const std::vector<double> last = decoded(all[2].tensors[0].tensor);
  EXPECT_EQ(std::count(last.begin(), last.end(), 0.0), 11);
  EXPECT_EQ(last.back(), 1);
}

TEST(Cotangents, DependOnTheSeedAndTheDraw) {
  const GradientProblem g = gradient_problem(norm(), {});
  EXPECT_EQ(random_cotangent(g, 1, 0).bytes, random_cotangent(g, 1, 0).bytes);
  EXPECT_NE(random_cotangent(g, 1, 0).bytes, random_cotangent(g, 2, 0).bytes);
  EXPECT_NE(random_cotangent(g, 1, 0).bytes, random_cotangent(g, 1, 1).bytes);
}

TEST(Cotangents, AddUpAndScaleExactly) {
  const GradientProblem g = gradient_problem(norm(), {});
  const Cotangent own = random_cotangent(g, 3, 0);
  const Summands parts = summands(own);
  const auto value = [](const Cotangent& c) { return decoded(c.tensors[0].tensor); };
  const auto a = value(own), b = value(parts.part), sum = value(parts.sum);
  bool is_mixed = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i] + b[i], sum[i]);
    is_mixed |= b[i] != b[0];
    EXPECT_EQ(value(scaled(own, 6))[i], 64 * a[i]);
    EXPECT_EQ(value(zero_cotangent(g))[i], 0);
  }
  EXPECT_TRUE(is_mixed) << "the part is neither all nor nothing";
}

namespace fs = std::filesystem;

const std::atomic<bool> never_stopped{false};

RunOptions run_options() {
  RunOptions options;
  options.programs = KBENCH_BIN_DIR;
  options.build_cache = fs::path(KBENCH_BIN_DIR).parent_path() / "test-cache" / "builds";
  options.build_limits = {std::uint64_t{1} << 28, std::uint64_t{1} << 26};
  options.judge.budget_seconds = 0.002;
  options.worker_limits.isolation = Isolation::limits;
  options.worker_limits.call_seconds = 5;
  return options;
}

// norm_with_rms of tests/data/gradients, ready for any of its solutions.
class Directions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(options_.programs / "kbench-torch"))
      GTEST_SKIP() << "kbench-torch is not built (no LibTorch)";
    set_ = load_trace_set(fs::path(KBENCH_SOURCE_DIR) / "tests/data/gradients", {}, problems_);
    evaluator_.emplace(options_.programs / "kbench-torch", ReferenceLimits{}, 1, never_stopped);
    PrepareOptions prepare;
    prepare.rule = find_rule("kbench");
    prepare.config.num_trials = 1;
    prepare.config.trials_given = true;
    const Definition& definition = *set_.definition("norm_with_rms");
    for (const auto& line : set_.workloads) {
      if (line.record.definition != definition.name) continue;
      auto bound = bind_workload(definition, line, prepare, problems_);
      workload_ = kbench::prepare(std::move(*bound), *evaluator_, problems_);
    }
    const GradientSpec spec{{}, {{"kept", {"rows"}, DType::float32, {}}}};
    prepared_.emplace(
        prepare_gradient(definition, *workload_, spec, *evaluator_, {.seed = 1, .quick = true}));
    ASSERT_EQ(reference_problem(*prepared_), "");
  }

  // Returns the status of its gradients in one direction, timed if it passed.
  Status status(const std::string& name, Direction direction) {
    const Solution& solution = *set_.solution(name);
    RunCaches caches(options_);
    const Toolchain toolchain = toolchain_for(options_, caches);
    const std::vector<Job> jobs{{prepared_->definition, nullptr, {&solution}}};
    const Builds builds = build_all(jobs, toolchain, 1);
    EvaluateOptions options;
    options.worker = options_.programs / "kbench-worker";
    options.limits = options_.worker_limits;
    options.judge = options_.judge;
    const FoundMethod forward{"fwd_with_residuals", "forward", "generic"};
    const FoundMethod backward{"vjp", "backward", "generic"};
    DirectedRun run({*prepared_, solution, builds.results.at(&solution), {forward, backward}},
                    options, direction);
    run.judge();
    if (run.is_finished() || !run.begin_timing()) return run.finish().status;
    const auto timing = run.sample(direction);
    EXPECT_TRUE(timing && timing->median_ns > 0);
    return run.end_timing() ? Status::passed : run.finish().status;
  }

  RunOptions options_ = run_options();
  Diagnostics problems_;
  TraceSet set_;
  std::optional<ReferenceEvaluator> evaluator_;
  std::optional<PreparedWorkload> workload_;
  std::optional<PreparedGradient> prepared_;
};

TEST(Direction, HasANameOnTheCommandLine) {
  for (const auto* name : {"fwd", "bwd", "fwd+bwd"})
    EXPECT_EQ(direction_name(find_direction(name).value()), name);
  EXPECT_FALSE(find_direction("backwards"));
}

TEST_F(Directions, OfARightSolutionAreAllTimed) {
  for (const Direction direction : {Direction::forward, Direction::backward, Direction::both})
    EXPECT_EQ(status("norm_right", direction), Status::passed) << direction_name(direction);
}

// T6 of ej.md §6: backward is asked for, or not, and asked for again: nothing of it stays.
TEST_F(Directions, T6ForwardAloneCallsNoBackwardPass) {
  EXPECT_EQ(status("norm_crashes", Direction::backward), Status::runtime_error);
  EXPECT_EQ(status("norm_crashes", Direction::forward), Status::passed);
  EXPECT_EQ(status("norm_crashes", Direction::both), Status::runtime_error);
}

TEST_F(Directions, AreJudgedBeforeTheyAreTimed) {
  EXPECT_EQ(status("norm_scale", Direction::backward), Status::incorrect_numerical);
  EXPECT_EQ(status("norm_primal", Direction::forward), Status::incorrect_numerical);
  EXPECT_EQ(status("norm_residual_unwritten", Direction::backward), Status::incorrect_numerical);
}

}  // namespace
}  // namespace kbench
