// The configuration file of `kbench run` (YAML), FlashInfer-Bench's keys and precedence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/containers.hpp"
#include "schema/field.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Settings for all, for an op type or for a definition.
struct EvalConfig {
  std::optional<std::int64_t> warmup_runs;
  std::optional<std::int64_t> iterations;
  std::optional<std::int64_t> num_trials;
  std::optional<double> rtol;
  std::optional<double> atol;
  std::optional<double> required_matched_ratio;
  std::optional<bool> structured_inputs;
  std::optional<bool> special_inputs;
  std::optional<OrderedMap<std::string>> judge_by;  // key: an output's name
  std::optional<RawJson> extra;
  FieldSet present{};
};

struct RunConfig {
  std::optional<std::int64_t> warmup_runs;
  std::optional<std::int64_t> iterations;
  std::optional<std::int64_t> num_trials;
  std::optional<double> rtol;
  std::optional<double> atol;
  std::optional<double> required_matched_ratio;
  std::optional<bool> structured_inputs;
  std::optional<bool> special_inputs;
  std::optional<std::vector<std::string>> definitions;
  std::optional<std::vector<std::string>> solutions;
  std::int64_t timeout_seconds = 300;
  bool profile_baseline = true;
  std::optional<std::int64_t> sampling_validation_trials;
  std::optional<double> sampling_tvd_threshold;
  OrderedMap<EvalConfig> op_type_config;
  OrderedMap<EvalConfig> definition_config;
  FieldSet present{};
};

// Settings that every layer has, under the same names.
template <class Layer>
constexpr auto effort_fields() {
  return std::tuple{
      Field{"warmup_runs", &Layer::warmup_runs, Need::optional, Rule::setting_or_zero,
            "Calls before timing."},
      Field{"iterations", &Layer::iterations, Need::optional, Rule::setting,
            "Samples of the timing."},
      Field{"num_trials", &Layer::num_trials, Need::optional, Rule::setting,
            "Input sets that are judged."},
      Field{"rtol", &Layer::rtol, Need::optional, Rule::setting, "Relative tolerance."},
      Field{"atol", &Layer::atol, Need::optional, Rule::setting, "Absolute tolerance."},
      Field{"required_matched_ratio", &Layer::required_matched_ratio, Need::optional,
            Rule::fraction, "Share of elements that must be within tolerance."},
      Field{"structured_inputs", &Layer::structured_inputs, Need::extension, Rule::any,
            "Whether the rule kbench judges by structured inputs, too."},
      Field{"special_inputs", &Layer::special_inputs, Need::extension, Rule::any,
            "Whether infinities and NaN are among these; else where the Definition has this tag."}};
}

// Settings of one definition. A value nobody gave is FlashInfer-Bench's default, and `given` says
// that kbench may choose its own effort instead.
struct ResolvedConfig {
  std::int64_t warmup_runs = 10;
  std::int64_t iterations = 50;
  std::int64_t num_trials = 3;
  double rtol = 1e-2;
  double atol = 1e-2;
  std::optional<double> required_matched_ratio;
  bool structured_inputs = true;  // rule kbench alone, as the next two
  std::optional<bool> special_inputs;
  OrderedMap<std::string> judge_by;  // standard that an output must be judged by
  bool profile_baseline = true;
  std::string extra = "{}";  // a JSON object
  bool warmup_given = false;
  bool iterations_given = false;
  bool trials_given = false;
  bool atol_given = false;  // false: the rule's own holds
  bool rtol_given = false;
};

// Precedence, low to high: defaults, op_type_config, definition_config, top level (and the command
// line, which is written there).
ResolvedConfig resolve(const RunConfig& config, const std::string& op_type,
                       const std::string& definition);

// Returns the settings without a file: FlashInfer-Bench's packaged configuration.
RunConfig default_config();

// Reads the YAML of `source`; nothing when there was an error. Unknown keys are warned of.
std::optional<RunConfig> read_config(const Source& source, Diagnostics& diagnostics);

// Returns the place of the value of a key of the file's top level.
Where place_in_config(const Source& source, std::string_view key);

// Warns of settings for definitions and op types that are not among the known ones.
void check_config_names(const Source& source, std::span<const std::string> definitions,
                        std::span<const std::string> op_types, Diagnostics& diagnostics);

// Returns the resolved configuration as a JSON object, FlashInfer-Bench's keys.
std::string to_json(const ResolvedConfig& config);

// Tables of fields of EvalConfig, RunConfig.
constexpr auto fields(const EvalConfig*) {
  return std::tuple_cat(
      effort_fields<EvalConfig>(),
      std::tuple{Field{"judge_by", &EvalConfig::judge_by, Need::extension, Rule::any,
                       "How the rule kbench must judge an output: numbers, "
                       "choice, codes, ties, bits or check (docs/verdict.md)."},
                 Field{"extra", &EvalConfig::extra, Need::optional, Rule::any,
                       "Settings of special rules."}});
}

constexpr auto fields(const RunConfig*) {
  const std::tuple own{Field{"definitions", &RunConfig::definitions, Need::optional,
                             Rule::non_empty, "Definitions to run."},
                       Field{"solutions", &RunConfig::solutions, Need::optional, Rule::non_empty,
                             "Solutions to run."},
                       Field{"timeout_seconds", &RunConfig::timeout_seconds, Need::optional,
                             Rule::setting, "Wall time of one evaluation, seconds."},
                       Field{"profile_baseline", &RunConfig::profile_baseline, Need::optional,
                             Rule::any, "Time the reference, too."},
                       Field{"sampling_validation_trials", &RunConfig::sampling_validation_trials,
                             Need::optional, Rule::setting, "Goes to extra; deprecated."},
                       Field{"sampling_tvd_threshold", &RunConfig::sampling_tvd_threshold,
                             Need::optional, Rule::unit, "Goes to extra; deprecated."},
                       Field{"op_type_config", &RunConfig::op_type_config, Need::optional,
                             Rule::any, "Settings per op type."},
                       Field{"definition_config", &RunConfig::definition_config, Need::optional,
                             Rule::any, "Settings per definition."}};
  return std::tuple_cat(effort_fields<RunConfig>(), own);
}

}  // namespace kbench
