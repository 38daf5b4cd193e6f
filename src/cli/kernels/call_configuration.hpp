// Configuration that a call of a kernel gets, where its Solution declares parameters; `kbench
// kernels resolve` tells it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "build/builder.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/registry/registry.hpp"
#include "kernels/registry/sidecar.hpp"
#include "measure/machine/identity.hpp"
#include "schema/definition.hpp"
#include "tune/configured_jobs.hpp"
#include "tune/selection.hpp"

namespace kbench {

struct CallConfiguration {
  std::optional<Selected> selected;
  std::string key;                 // key in the store; "" where the axes are not known
  std::string why;                 // reason: there is none, or it cannot be said
  std::vector<std::string> tried;  // steps before that
};

class CallConfigurations {
 public:
  CallConfigurations(const KernelSet& kernels, ConfiguringPlan plan);

  // Returns nothing where it is no Solution of the trace set, or one without parameters.
  // `workload`: the call's, where it is of one; its axes are those of the query otherwise. Mistakes
  // in the sidecar, or in what the user states, are reported.
  std::optional<CallConfiguration> of(const Implementation& chosen, const Query& query,
                                      const Workload* workload, Diagnostics& reports);

 private:
  std::optional<CallConfiguration> select(const Stored<Solution>& stored, const Sidecar& sidecar,
                                          const Definition& definition, const Workload& workload,
                                          Diagnostics& reports);

  const KernelSet& kernels_;
  ConfiguringPlan plan_;
  Selector selector_;
  std::optional<Toolchain> toolchain_;
  std::optional<CpuFingerprint> cpu_;
};

// "  configuration: BLOCK=128, from the store (tuned …)\n"; with `explain` each step before it.
std::string configuration_lines(const CallConfiguration& one, bool explain);
// {"values": …, "source": …, "key": …, "from": …, "tried": […]}, as text.
std::string configuration_json(const CallConfiguration& one, bool explain);

// The sizes of axes, and scalars, that a command line gives for a call.
using GivenNumbers = std::map<std::string, Number>;

// Reads "M=8,N=16" of --axes; reports other texts.
void read_axes(const std::vector<std::string>& words, GivenNumbers& axes, Diagnostics& out);

// Reports lengths below 0; scalars may be.
void check_lengths(const GivenNumbers& axes, Diagnostics& out);
// Reports names that are neither axes nor scalar inputs of the Definition, and sizes that are not
// its own.
void check_axes(const GivenNumbers& axes, const Definition& definition, Diagnostics& out);

}  // namespace kbench
