// Choice of configurations for Solutions that declare parameters.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "build/builder.hpp"
#include "judge/job.hpp"
#include "schema/configuration.hpp"

namespace kbench {

class Configurator {
 public:
  virtual ~Configurator() = default;

  // The jobs with configured Solutions in the place of those that declare parameters; these live as
  // long as the configurator. One without a configuration is left out, which is reported.
  virtual std::vector<Job> configured(const TraceSet& set, std::vector<Job> jobs,
                                      const Toolchain& toolchain, Diagnostics& reports) = 0;
  // Says how a Solution that configured() gave was chosen; nothing where it declares no parameters.
  virtual std::optional<ConfigurationRecord> record_of(const Job& job,
                                                       const Solution& solution) const = 0;
  // Returns the function that is called once before all calls of the entry point of such a
  // Solution, or of another configuration of it; "" where there is none.
  virtual std::string prepare_of(const Solution& solution) const = 0;
  // Returns the digest of the conditions of such a Solution; "" where it has none.
  virtual std::string conditions_of(const Solution& solution) const = 0;
  // Says why this machine does not run a Solution; "" where it does, and of unknown ones.
  virtual std::string refusal(const Solution& solution) const = 0;
  // Returns the condition of such a Solution that does not hold for the job's workload; "" where
  // all hold.
  virtual std::string unsupported(const Job& job, const Solution& solution) const = 0;
};

// Returns EvaluateOptions::prepare_of by this configurator; nullptr gives none.
inline std::function<std::string(const Solution& solution)> prepares_by(
    std::shared_ptr<const Configurator> configurator) {
  if (!configurator) return {};
  return [configurator = std::move(configurator)](const Solution& solution) {
    return configurator->prepare_of(solution);
  };
}

}  // namespace kbench
