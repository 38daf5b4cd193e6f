// Settings that go with the second engine of kbench run.
#include "cli/judging/run_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "cli/judging/configuring.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/engine.hpp"
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
      out.error({c.config_file}, fmt::format("cannot be read: {}", error.code().message()),
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

namespace {

// Status that counts a solution without a usable configuration as a negative verdict, though the
// heuristic's may have served.
int with_untuned(int status, bool is_untuned) {
  return is_untuned && (status == exit_good || status == exit_undecided)
             ? static_cast<int>(exit_negative)
             : status;
}

}  // namespace

int with_settings(RunCommand& c,
                  const std::function<int(const Settings& settings, Diagnostics reports)>& body) {
  if (!c.no_cache && !(c.caches = user_caches())) return exit_input;
  Diagnostics reports;
  if (!(c.held_at = isolation_for(c, reports))) {
    ReportPrinter().print(reports);
    return exit_environment;
  }
  const auto settings = settings_of(c, reports);
  const std::size_t before = reports.errors();
  c.configuration = configuring_plan(c.configuring, threads_for(c), c.caches.has_value(), reports);
  // Configurations that are fastest for warm calls need not be for cold ones.
  if (c.options.judge.cold) c.configuration.purpose.objective = "cold";
  const auto is_good = [&] { return settings && reports.errors() == before; };
  if (is_good()) c.options.stages = shown(trace_events_to(c.stamps.trace_events, reports));
  if (!is_good()) {
    ReportPrinter().print(reports);
    return exit_input;
  }
  const auto is_untuned = std::make_shared<bool>(false);
  if (c.configuration.policy == SelectionPolicy::autotune)
    c.configuration.tune_now = tuning_now(c, settings->config, is_untuned);
  const int status = body(*settings, std::move(reports));
  c.options.stages = {};  // ends the file
  return with_untuned(status, *is_untuned);
}

namespace {

void refuse(const char* option, const char* why, Diagnostics& out) {
  out.error({}, fmt::format("--engine google-benchmark excludes {}", option), why);
}

bool are_too_many(const std::optional<std::int64_t>& iterations) {
  return iterations.value_or(0) > most_repetitions;
}

bool any_too_many(const OrderedMap<EvalConfig>& layers) {
  return std::any_of(layers.begin(), layers.end(),
                     [](const auto& layer) { return are_too_many(layer.second.iterations); });
}

// The command line's stand above the file's.
void check_repetitions(const RunCommand& c, const Settings& settings, Diagnostics& out) {
  const RunConfig& config = settings.config;
  const auto refuse_at = [&](const Where& where) {
    out.error(where,
              fmt::format("--engine google-benchmark makes at most {} iterations: its repetitions",
                          most_repetitions),
              "each of them is of many calls; --budget makes them longer");
  };
  if (are_too_many(c.settings.iterations)) return refuse_at({});
  if (!settings.file || c.settings.iterations) return;
  if (are_too_many(config.iterations))
    return refuse_at(place_in_config(*settings.file, "iterations"));
  for (const auto& [layers, key] : {std::pair(&config.op_type_config, "op_type_config"),
                                    std::pair(&config.definition_config, "definition_config")})
    if (any_too_many(*layers)) refuse_at(place_in_config(*settings.file, key));
}

}  // namespace

bool check_engine(const RunCommand& c, const Settings& settings, Diagnostics& out) {
  if (find_engine(c.options.judge.engine) != Engine::google_benchmark) return true;
  const std::size_t before = out.errors();
  if (c.audit) refuse("--audit", "the judge's own clock times every call of an audit", out);
  if (!c.options.judge.sanitize.empty())
    refuse("--sanitize", "what sanitizers slow down is not timed", out);
  if (c.rank) refuse("--rank", "kbench's own samples are what it ranks by", out);
  if (c.options.judge.cold) refuse("--cold", "Google Benchmark times many calls in one go", out);
  if (c.options.judge.loads > 1) refuse("--loads", "it times one load", out);
  check_repetitions(c, settings, out);
  return out.errors() == before;
}

}  // namespace kbench
