// Jobs of a run, with the configuration that each Solution has on each workload.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "judge/configurator.hpp"
#include "kernels/registry/sidecar.hpp"
#include "tune/key.hpp"
#include "tune/selection.hpp"

namespace kbench {

// Call whose configuration is to be found now: the policy is autotune, and nothing was tuned.
struct TuneNowTask {
  const TraceSet& set;
  const Job& job;
  const Solution& solution;  // Solution of the trace set
  const Solution& plain;     // Solution with the function that is called, without a configuration
  const Tunables& tunables;
  const Problem& problem;
  const TuningKey& key;
};
using TuneNow = std::function<AutotuneResult(const TuneNowTask& task)>;

// Purpose for which a configuration is chosen.
struct CallPurpose {
  TuningPurpose purpose;
  OrderedMap<std::int64_t> axes = {};  // lengths of a rank's call, where the workload's differ
  std::optional<Problem> alone = {};   // problem of the call by itself, whose tuning serves as well
};
using PurposeOf =
    std::function<CallPurpose(const Job& job, const Solution& solution, const Problem& problem)>;

struct ConfiguringPlan {
  std::optional<Configuration> chosen = {};  // configuration of --cfg
  std::vector<Overlay> overlays = {};        // overlays; the last counts first
  SelectionPolicy policy = SelectionPolicy::tuned;
  std::shared_ptr<const TunedStore> store = nullptr;  // nullptr: nothing was tuned
  SelectionEvents events = {};
  TuningPurpose purpose = {};
  PurposeOf purpose_of = {};        // purpose of each call; none: always `purpose`
  int threads = 1;                  // threads of each Solution
  std::function<Host()> host = {};  // this machine; none: nothing is refused for want of a device
  TuneNow tune_now = {};            // tunes a call; none: nothing is tuned, whatever the policy
};

class ConfiguredJobs : public Configurator {
 public:
  explicit ConfiguredJobs(ConfiguringPlan plan);

  std::vector<Job> configured(const TraceSet& set, std::vector<Job> jobs,
                              const Toolchain& toolchain, Diagnostics& reports) override;
  std::optional<ConfigurationRecord> record_of(const Job& job,
                                               const Solution& solution) const override;
  std::string prepare_of(const Solution& solution) const override;
  std::string conditions_of(const Solution& solution) const override;
  std::string refusal(const Solution& solution) const override;
  std::string unsupported(const Job& job, const Solution& solution) const override;

 private:
  class Pass;
  struct Declared;
  using Pair = std::pair<const Stored<Trace>*, const Solution*>;  // workload, configured one

  ConfiguringPlan plan_;
  const TuneNowTask* task_ = nullptr;  // task while its configuration is chosen
  Selector selector_;
  std::deque<Solution> solutions_;  // configured ones: their addresses stay
  std::map<std::pair<const Solution*, std::string>, const Solution*> by_values_;
  std::map<Pair, ConfigurationRecord> records_;
  std::map<Pair, std::string> unsupported_;
  std::map<std::string, std::string> prepares_;    // functions by the Solution's name
  std::map<std::string, std::string> conditions_;  // digests by the Solution's name
  std::map<std::string, std::string> refusals_;    // reasons by the Solution's name
};

// Returns the name of its calls in profiles: schema/record_signature.hpp.
std::string call_label(const TuningKey& key);

}  // namespace kbench
