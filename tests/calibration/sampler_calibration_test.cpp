// Rates of honest samplers refused and of wrong ones accepted: docs/calibration.md. kbench-torch
// looks through the reference, the draws are made here (calibration/mutants/samplers.hpp).
// KBENCH_FULL=1: all seeds; KBENCH_CALIBRATION=FILE: the figures go to FILE.samplers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "calibration/mutants/calibrate.hpp"
#include "calibration/mutants/samplers.hpp"
#include "calibration/mutants/workload.hpp"
#include "judge/trial_verdict.hpp"
#include "reference/exact_case.hpp"

namespace kbench {
namespace {

using namespace mutants;

constexpr std::size_t calls = 1500;
constexpr std::size_t judged_calls = 10;  // the rule judges these one by one, too

struct SamplerCalibration : ExactTest {
  // Returns what is wrong with it; "": nothing.
  static std::string wrong(const PreparedWorkload& workload, const SamplerProgram& program,
                           std::uint64_t seed) {
    const Trial& trial = workload.trials.front();
    const Given given = given_of(trial);
    const Floats& probs = given["probs"];
    const auto count = static_cast<std::size_t>(workload.problem.outputs[0].shape[0]);
    const std::size_t width = probs.size() / count;
    std::vector<Weights> rows;
    for (std::size_t r = 0; r < count; ++r) {
      const auto mine = row(probs, r, width);
      rows.push_back(program.weighting({mine.begin(), mine.end()}));
    }
    const Draw draw = program.start();
    Random random(seed);
    SamplerTally tally;
    VerdictContext context{"task", "sampling", {}};
    context.standards = trial.standards;
    for (std::size_t i = 0; i < calls; ++i) {
      const std::vector<std::int64_t> drawn = draw(rows, random);
      const std::vector<TensorView> views{{DType::int64,
                                           {static_cast<std::int64_t>(count)},
                                           reinterpret_cast<const std::byte*>(drawn.data()),
                                           drawn.size() * sizeof(drawn[0])}};
      if (i < judged_calls) {
        const Verdict verdict = find_rule("kbench")->judge(context, views, trial.reference.outputs);
        if (verdict.status != Status::passed) return verdict.detail;
      }
      tally.add(trial, 0, views);
    }
    return tally.wrong(std::vector<std::string>{"samples"});
  }
};

TEST_F(SamplerCalibration, WrongOnesAreRefusedAndRightOnesNot) {
  const std::uint64_t seeds = std::getenv("KBENCH_FULL") != nullptr ? 10 : 1;
  std::size_t right = 0, wrongs = 0, refused = 0, accepted = 0;
  std::string text;
  for (const SamplerTask& task : sampler_tasks()) {
    const Definition definition = definition_of(task);
    const Stored<Trace> line = workload_of(task);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const PreparedWorkload workload =
          prepared(definition, line, first_seed + seed, evaluator(EvaluatorChoice::libtorch));
      ASSERT_TRUE(is_sampler(workload.trials.front())) << task.name;
      for (const SamplerProgram& program : task.samplers) {
        const std::string found = wrong(workload, program, first_seed + seed);
        ++(program.right ? right : wrongs);
        if (program.right == found.empty()) continue;
        ++(program.right ? refused : accepted);
        text += fmt::format("{}: {}: {} (seed {}) {}\n", program.right ? "refused" : "accepted",
                            task.name, program.name, seed, found);
      }
    }
  }
  text += fmt::format(
      "samplers: {} of {} wrong accepted (at most {:.2f} %), {} of {} right refused "
      "(at most {:.2f} %)\n",
      accepted, wrongs, 100 * upper_bound(accepted, wrongs), refused, right,
      100 * upper_bound(refused, right));
  fmt::print("{}", text);
  if (const char* path = std::getenv("KBENCH_CALIBRATION"))
    std::ofstream(std::string(path) + ".samplers") << text;
  EXPECT_LE(static_cast<double>(accepted), 0.01 * static_cast<double>(wrongs));
  EXPECT_EQ(refused, 0U);
}

}  // namespace
}  // namespace kbench
