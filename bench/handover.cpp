// Time that the judge's clock adds to an audited call: handing over and back without a candidate,
// with judge and worker on cores of their own, and with both waiting. Microseconds; the median of
// 64 calls is what a record's overhead_ns is: its median and 95th percentile over workers.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "exec/candidate_process.hpp"
#include "exec/cores.hpp"

namespace {

using namespace kbench;

double overhead(const CoreSplit& cores) {
  const Problem problem{"none", "none", "none", {}, {}, {{"y", DType::float32, false, {64}}}, {}};
  PoisonedOutputs outputs(problem.outputs);
  SharedMemory stage("kbench stage", 0);
  CandidatePlan plan;
  plan.worker = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kbench-worker";
  plan.library = plan.worker;  // it is not loaded
  plan.limits.isolation = best_isolation();
  plan.cores = cores;
  plan.is_audited = true;
  const OnJudgesCore here(cores);
  CandidateProcess process(plan, problem, {}, stage, outputs);
  double nanoseconds = 0;
  if (const auto failure = process.measure_overhead(nanoseconds))
    throw std::runtime_error(failure->cause);
  return nanoseconds / 1000;
}

void print(const char* how, const CoreSplit& cores) {
  std::vector<double> times;
  for (int i = 0; i < 40; ++i) times.push_back(overhead(cores));
  std::sort(times.begin(), times.end());
  fmt::print("{}: median {:.2f} us, p95 {:.2f} us, best {:.2f} us\n", how, times[20], times[38],
             times[0]);
}

}  // namespace

int main() {
  const CoreSplit cores = split_cores(1);
  if (cores.is_pinned()) print("spinning", cores);
  if (!cores.is_pinned()) fmt::print("spinning: there is one core\n");
  print("blocking", {});
}
