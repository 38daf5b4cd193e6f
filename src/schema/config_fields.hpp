// The tables of fields of EvalConfig, RunConfig.
#pragma once

#include <tuple>

#include "schema/config.hpp"
#include "schema/field.hpp"

namespace kbench {

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
