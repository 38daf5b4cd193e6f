// kbench grad: the gradients of solutions, checked and timed on workloads.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "judge/derive/direction.hpp"
#include "judge/derive/gradient_report.hpp"
#include "judge/job.hpp"
#include "judge/run.hpp"

namespace kbench {

struct GradientOptions {
  RunOptions run;  // how they are built, configured, held, judged and timed
  bool is_timed = true;
  bool only_pairs = false;  // solutions without gradients are left out, and are no failure
  Direction direction = Direction::both;  // that is timed
};

struct GradientEvents {
  std::function<void(const Job& job, const Solution& solution)> started;
  std::function<void(const GradientReport& report)> finished;
  std::function<void(const Diagnostics& reports)> reported;
};

struct GradientTotals {
  std::size_t passed = 0, wrong = 0;
  std::size_t not_differentiable = 0;
  std::size_t abandoned = 0;  // the workload, the reference or a sidecar: it is reported
  std::size_t refused = 0;    // kbench cannot build or run it here, which is reported
  bool interrupted = false, broken = false;
};

// Every pair of a workload and a solution of the jobs. `stop` ends it after the pair in hand.
GradientTotals run_gradients(const TraceSet& set, const std::vector<Job>& jobs,
                             const GradientOptions& options, const GradientEvents& events,
                             const std::atomic<bool>& stop);

}  // namespace kbench
