// A time stands beside what the machine can do, and less than that is not believed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "judge/beside_reference.hpp"
#include "judge/judge.hpp"
#include "judge/records.hpp"

namespace kbench {
namespace {

using nlohmann::json;

constexpr std::int64_t elements = 1 << 20;

Stored<Solution> copies_at_once(const std::string& name, const std::string& before) {
  return solution(name, "copy", true,
                  "#include <cstring>\n#include \"kbench_ffi.h\"\n"
                  "void copy(kbench::Tensor x, kbench::Tensor y) {\n" +
                      before +
                      "  std::memcpy(y.data<float>(), x.data<float>(), 4 * x.numel());\n}\n"
                      "KBENCH_EXPORT(run, copy)\n");
}

Stored<Solution> honest_copy() { return copies_at_once("honest", ""); }

// Computes once, where it finds the outputs poisoned: right after every look, and done in no time.
Stored<Solution> lazy() {
  return copies_at_once("lazy",
                        "  if (std::memcmp(x.data<float>(), y.data<float>(), 64) == 0) return;\n");
}

std::map<std::string, Trace> run(const std::vector<Stored<Solution>>& solutions,
                                 const MeasuredPeaks& peaks, bool contest = false) {
  TraceSet set;
  set.definitions.push_back(definition("copy", tensor_y, "x * 1"));
  set.solutions = solutions;
  JudgeOptions how;
  how.peaks = peaks;
  if (contest) how.contest.emplace();
  return judge(set, {workload("copy", elements)}, how);
}

MeasuredPeaks of_this_machine() { return {measure_peaks({1 << 14, 1 << 22}, 2), 2, "now"}; }

TEST(RooflineOfATime, IsInTheRecord) {
  const Evaluation evaluation = *run({honest_copy()}, of_this_machine()).at("honest").evaluation;
  ASSERT_EQ(evaluation.status, Status::passed) << evaluation.log;
  EXPECT_EQ(evaluation.kbench->work->bytes_touched, 8 * elements);
  const Timing& timing = *evaluation.kbench->timing;
  ASSERT_TRUE(timing.roofline);
  EXPECT_EQ(timing.roofline->bound_by, "memory");
  EXPECT_EQ(timing.roofline->least_ns, timing.roofline->bound_ns / 4);  // the output is half of it
  EXPECT_GE(timing.p10_ns, timing.roofline->least_ns);
}

TEST(RooflineOfATime, RefusesWhatNoMachineCanDo) {
  const Evaluation evaluation = *run({lazy()}, of_this_machine()).at("lazy").evaluation;
  EXPECT_EQ(evaluation.status, Status::runtime_error);
  EXPECT_TRUE(evaluation.kbench->cause->starts_with("IMPLAUSIBLE: ")) << *evaluation.kbench->cause;
  EXPECT_FALSE(evaluation.performance);
}

TEST(RooflineOfATime, RefusesItInAContestToo) {
  const auto traces = run({lazy(), honest_copy()}, of_this_machine(), true);
  EXPECT_EQ(traces.at("lazy").evaluation->status, Status::runtime_error);
  EXPECT_EQ(traces.at("honest").evaluation->status, Status::passed);
}

// Somebody disturbed while it was measured: it seemed a thousand times slower than it is.
TEST(RooflineOfATime, MeasuresTheMachineAgainBeforeItAccuses) {
  MeasuredPeaks slow = of_this_machine();
  for (Bandwidth& bandwidth : slow.peaks.bandwidth) {
    bandwidth.bytes_per_second.one /= 1000;
    bandwidth.bytes_per_second.all /= 1000;
  }
  slow.peaks.float32 = {1e6, 1e6};
  const Evaluation evaluation = *run({honest_copy()}, slow).at("honest").evaluation;
  EXPECT_EQ(evaluation.status, Status::passed) << evaluation.log;
}

}  // namespace
}  // namespace kbench
