// All solutions of a run, built beside each other before the first is judged.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "build/builder.hpp"
#include "judge/configurator.hpp"
#include "judge/job.hpp"
#include "judge/stage.hpp"

namespace kbench {

// Every solution of the jobs is in exactly one of these.
struct Builds {
  std::map<const Solution*, BuildResult> results;
  std::map<const Solution*, std::string> refused;       // reason why kbench does not build it here
  std::map<const Solution*, std::string> unrun;         // reason why, though built, it is not run
  std::map<const Solution*, std::string> not_emulated;  // reason why --emulate does not take it
  std::map<const Solution*, std::string>
      broken;  // reason: the world is wrong (no compiler, no disk)
};

Builds build_all(const std::vector<Job>& jobs, const Toolchain& toolchain, int parallel,
                 const StageEvents& stages = {});

// Moves the solutions that `which` picks from the results to `reasons`, which are `builds`' own.
void leave_out(Builds& builds, std::map<const Solution*, std::string>& reasons,
               const std::string& why, const std::function<bool(const Solution&)>& which);

// Refuses those of the results that this machine does not run; none without a configurator.
void refuse(Builds& builds, const Configurator* configurator);

// Says of those without a result why they are not judged.
Diagnostics unbuilt(const Builds& builds);

}  // namespace kbench
