#include "judge/derive/direction.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "judge/builds.hpp"
#include "judge/run_caches.hpp"
#include "kernels/registry/sidecar.hpp"
#include "schema/trace_set.hpp"

namespace kbench {
namespace {

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

  // The status of its gradients in one direction: passed, or what failed. Timed, where it passed.
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
    if (!run.judge() || !run.begin_timing()) return run.failure().status;
    const auto timing = run.time(direction);
    EXPECT_TRUE(timing && timing->median_ns > 0);
    return run.end_timing() ? Status::passed : run.failure().status;
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

// ej.md §6, T6: backward is asked for, or not, and asked for again: nothing of it stays.
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
