#include "schema/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/text.hpp"
#include "schema/read.hpp"
#include "schema/yaml.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

template <class T, class U>
bool take(T& value, const std::optional<U>& given) {
  if (given) value = *given;
  return given.has_value();
}

// EvalConfig and RunConfig have these settings under the same names.
template <class Layer>
void apply(ResolvedConfig& out, const Layer& layer) {
  out.warmup_given |= take(out.warmup_runs, layer.warmup_runs);
  out.iterations_given |= take(out.iterations, layer.iterations);
  out.trials_given |= take(out.num_trials, layer.num_trials);
  out.rtol_given |= take(out.rtol, layer.rtol);
  out.atol_given |= take(out.atol, layer.atol);
  take(out.required_matched_ratio, layer.required_matched_ratio);
  take(out.structured_inputs, layer.structured_inputs);
  take(out.special_inputs, layer.special_inputs);
}

void apply_layer(ResolvedConfig& out, Json& extra, const EvalConfig* layer) {
  if (layer == nullptr) return;
  apply(out, *layer);
  if (layer->judge_by)
    for (const auto& [output, standard] : *layer->judge_by) out.judge_by[output] = standard;
  if (layer->extra) extra.update(Json::parse(layer->extra->text));
}

EvalConfig with_extra(const char* extra) {
  EvalConfig config;
  config.extra = RawJson{extra};
  return config;
}

}  // namespace

ResolvedConfig resolve(const RunConfig& config, const std::string& op_type,
                       const std::string& definition) {
  ResolvedConfig out;
  out.profile_baseline = config.profile_baseline;
  Json extra = Json::object();
  apply_layer(out, extra, config.op_type_config.find(op_type));
  apply_layer(out, extra, config.definition_config.find(definition));
  apply(out, config);
  if (config.sampling_validation_trials)
    extra["sampling_validation_trials"] = *config.sampling_validation_trials;
  if (config.sampling_tvd_threshold)
    extra["sampling_tvd_threshold"] = *config.sampling_tvd_threshold;
  out.extra = extra.dump();
  return out;
}

RunConfig default_config() {
  RunConfig config;
  config.op_type_config["moe"].required_matched_ratio = 0.95;
  config.op_type_config["sampling"] =
      with_extra(R"({"sampling_validation_trials":100,"sampling_tvd_threshold":0.2})");
  return config;
}

std::optional<RunConfig> read_config(const Source& source, Diagnostics& diagnostics) {
  json::Memory memory;
  const std::size_t before = diagnostics.errors();
  const json::Value value = parse_yaml(source, memory, diagnostics);
  if (diagnostics.errors() != before) return std::nullopt;
  if (value.kind == json::Kind::null) return RunConfig{};  // an empty file
  if (!value.is_object()) {
    diagnostics.error(locate(source, value.begin), "the file holds no settings",
                      "settings are \"key: value\" lines, as in \"rtol: 0.01\"");
    return std::nullopt;
  }
  ReadOptions options;
  options.warn_of_all = true;  // a setting that has no effect is a mistake
  return read<RunConfig>(source, value, options, diagnostics);
}

Where place_in_config(const Source& source, std::string_view key) {
  json::Memory memory;
  Diagnostics ignored;
  const json::Value config = parse_yaml(source, memory, ignored);
  const json::Value* value = config.find(key);
  return locate(source, value == nullptr ? 0 : value->begin, fmt::format("/{}", key));
}

void check_config_names(const Source& source, std::span<const std::string> definitions,
                        std::span<const std::string> op_types, Diagnostics& diagnostics) {
  json::Memory memory;
  Diagnostics ignored;
  const json::Value config = parse_yaml(source, memory, ignored);
  const auto check = [&](std::string_view section, std::string_view noun,
                         std::span<const std::string> known) {
    const json::Value* settings = config.find(section);
    if (settings == nullptr) return;
    for (const json::Member& member : settings->members) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      diagnostics.warning(
          locate(source, member.key_begin, fmt::format("/{}/{}", section, member.key)),
          fmt::format("no {} \"{}\" in the trace set: its settings have no effect", noun,
                      member.key),
          did_you_mean(member.key, known));
    }
  };
  check("op_type_config", "op type", op_types);
  check("definition_config", "definition", definitions);
}

std::string to_json(const ResolvedConfig& config) {
  Json out;
  out["warmup_runs"] = config.warmup_runs;
  out["iterations"] = config.iterations;
  out["num_trials"] = config.num_trials;
  out["rtol"] = config.rtol;
  out["atol"] = config.atol;
  out["required_matched_ratio"] =
      config.required_matched_ratio ? Json(*config.required_matched_ratio) : Json();
  out["profile_baseline"] = config.profile_baseline;
  if (!config.structured_inputs) out["structured_inputs"] = false;
  if (config.special_inputs) out["special_inputs"] = *config.special_inputs;
  for (const auto& [output, standard] : config.judge_by) out["judge_by"][output] = standard;
  out["extra"] = Json::parse(config.extra);
  return out.dump();
}

}  // namespace kbench
