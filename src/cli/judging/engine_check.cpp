// What goes with the second engine of kbench run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "evaluate/engine.hpp"

namespace kbench {
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
