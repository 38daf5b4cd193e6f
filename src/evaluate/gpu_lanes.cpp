#include "evaluate/gpu_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "exec/cores.hpp"

namespace kbench {
namespace {

// The world may be wrong in one pair: it is said, and the others go on.
void judge_guarded(Pair pair, const Gpu& gpu, int threads, PairJudge& judge) try {
  pair.options.gpu = &gpu;
  pair.options.limits.threads = std::min(pair.options.limits.threads, threads);
  SharedMemory stage = make_stage(*pair.workload);
  judge.judge(pair, stage);
} catch (const std::exception& error) {
  const auto& workload = *pair.job->workload;
  judge.report_broken(
      {workload.path, workload.line, 1, "", ""},
      fmt::format("kbench failed on workload {} of {}: {}", workload.record.workload.uuid,
                  pair.job->definition->name, error.what()));
}

}  // namespace

std::size_t most_lanes() {
  constexpr std::size_t cores_of_lane = 2;
  return std::max<std::size_t>(1, usable_cores().size() / cores_of_lane);
}

void judge_on_gpus(const std::vector<Pair>& pairs, const std::vector<GpuLock>& gpus,
                   PairJudge& judge, const std::atomic<bool>& stop) {
  if (pairs.empty()) return;
  const auto shares = core_shares(usable_cores(), gpus.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::size_t lane) {
    keep_to(shares[lane]);
    const int threads = std::max(1, static_cast<int>(shares[lane].size()) - 1);
    while (!stop && judge.answers(gpus[lane].gpu())) {
      const std::size_t i = next++;
      if (i >= pairs.size()) return;
      judge_guarded(pairs[i], gpus[lane].gpu(), threads, judge);
    }
  };
  {
    std::vector<std::jthread> lanes;
    for (std::size_t lane = 0; lane < gpus.size(); ++lane) lanes.emplace_back(work, lane);
  }
  if (!stop && next < pairs.size()) judge.totals.unrun += pairs.size() - next;
}

}  // namespace kbench
