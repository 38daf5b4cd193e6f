#include "judge/gpu_lanes.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <thread>

#include "base/digest.hpp"
#include "exec/cores.hpp"

namespace kbench {
namespace {

// The world may be wrong in one pair: it is said, and the others go on.
void judge_guarded(Pair pair, const Gpu& gpu, int threads, PairJudge& judge) try {
  pair.options.gpu = &gpu;
  pair.options.limits.threads = std::min(pair.options.limits.threads, threads);
  SharedMemory stage = make_stage(*pair.workload);
  TimedReferences references(*pair.workload, stage, pair.hosts, pair.options);
  pair.options.references = &references;
  judge.judge(pair, stage);
} catch (const std::exception& error) {
  judge.report_failed(*pair.job, error);
}

// By what is the same in every run.
std::size_t lane_of(const Pair& pair, std::size_t lanes) {
  const std::string digest =
      sha256_hex(pair.job->definition->name + "\n" + pair.job->workload->record.workload.uuid +
                 "\n" + pair.solution->name);
  return std::stoul(digest.substr(0, 8), nullptr, 16) % lanes;
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
  std::vector<std::vector<const Pair*>> pairs_of(gpus.size());
  for (const Pair& pair : pairs) pairs_of[lane_of(pair, gpus.size())].push_back(&pair);
  const auto work = [&](std::size_t lane) {
    keep_to(shares[lane]);
    const int threads = std::max(1, static_cast<int>(shares[lane].size()) - 1);
    for (const Pair* pair : pairs_of[lane])
      if (!stop) judge_guarded(*pair, gpus[lane].gpu(), threads, judge);
  };
  std::vector<std::jthread> lanes;
  for (std::size_t lane = 0; lane < gpus.size(); ++lane) lanes.emplace_back(work, lane);
}

}  // namespace kbench
