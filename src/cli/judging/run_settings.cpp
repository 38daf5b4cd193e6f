#include "cli/judging/run_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "cli/judging/run_options.hpp"
#include "verdict/verdict.hpp"

namespace kbench {
namespace {

template <class Layer>
bool has_tolerance(const Layer& layer) {
  return layer.rtol || layer.atol || layer.required_matched_ratio;
}

void warn_of_tolerances(const RunCommand& c, const Settings& settings, Diagnostics& out) {
  if (find_rule(c.options.rule)->has_tolerance) return;
  const auto warn = [&](const Where& where) {
    out.warning(where, fmt::format("a tolerance decides nothing under the rule {}", c.options.rule),
                "its limits follow from the reference's arithmetic: docs/verdict.md; other rules "
                "have tolerances, as --rule flashinfer-bench");
  };
  if (has_tolerance(c.settings)) return warn({});
  if (!settings.file) return;
  const RunConfig& config = settings.config;
  const auto any = [](const OrderedMap<EvalConfig>& layers) {
    return std::any_of(layers.begin(), layers.end(),
                       [](const auto& layer) { return has_tolerance(layer.second); });
  };
  const std::pair<const char*, bool> keys[] = {
      {"rtol", config.rtol.has_value()},
      {"atol", config.atol.has_value()},
      {"required_matched_ratio", config.required_matched_ratio.has_value()},
      {"op_type_config", any(config.op_type_config)},
      {"definition_config", any(config.definition_config)}};
  for (const auto& [key, is_there] : keys)
    if (is_there) warn(place_in_config(*settings.file, key));
}

}  // namespace

std::optional<Settings> settings_of(const RunCommand& c, Diagnostics& out) {
  Settings settings{default_config(), std::nullopt};
  if (!c.config_file.empty()) {
    try {
      settings.file = Source{c.config_file, read_file(c.config_file)};
    } catch (const std::system_error& error) {
      out.error({c.config_file, 0, 0, "", ""},
                fmt::format("cannot be read: {}", error.code().message()),
                "--config names a file of settings");
      return std::nullopt;
    }
    auto read = read_config(*settings.file, out);
    if (!read) return std::nullopt;
    settings.config = std::move(*read);
  }
  RunConfig& config = settings.config;
  const auto over = [](auto& below, const auto& above) {
    if (above) below = *above;
  };
  over(config.warmup_runs, c.settings.warmup_runs);
  over(config.iterations, c.settings.iterations);
  over(config.num_trials, c.settings.num_trials);
  over(config.rtol, c.settings.rtol);
  over(config.atol, c.settings.atol);
  over(config.required_matched_ratio, c.settings.required_matched_ratio);
  over(config.profile_baseline, c.profile_baseline);
  over(config.timeout_seconds, c.timeout);
  warn_of_tolerances(c, settings, out);
  return settings;
}

Selection selection_of(const RunCommand& c, const Settings& settings) {
  Selection selection = c.selection;
  const auto fall_back = [&](auto& names, const auto& configured, Where& said, const char* key) {
    if (!configured || !names.empty()) return;
    names = *configured;
    said = place_in_config(*settings.file, key);
  };
  fall_back(selection.definitions, settings.config.definitions, selection.definitions_said,
            "definitions");
  fall_back(selection.solutions, settings.config.solutions, selection.solutions_said, "solutions");
  return selection;
}

}  // namespace kbench
