#include "judge/derive/shard_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

// nullptr where it has no parameters.
const ConfigurationRecord* configuration_of(const Trace& trace) {
  const auto& details = trace.evaluation->kbench;
  return details && details->configuration ? &*details->configuration : nullptr;
}

bool has_errors(const Evaluation& evaluation) {
  const bool is_judged =
      evaluation.status == Status::passed || evaluation.status == Status::incorrect_numerical;
  return is_judged && evaluation.correctness.has_value();
}

// What total_ns is.
std::string_view total_name(const Transport& transport) {
  return transport.at_once ? "slowest rank, all at once" : "sum of the ranks, one after the other";
}

std::string times_text(const ShardRow& row) {
  const RankTimes& times = *row.result.times;
  std::string out;
  for (std::size_t rank = 0; rank < times.ranks.size(); ++rank) {
    const Summary& one = times.ranks[rank];
    out += fmt::format("  rank {:<3} {}  (p10 {}, {})\n", rank, human_time(one.median),
                       human_time(one.p10), counted(one.count, "sample"));
  }
  const double reference_ms = row.trace.evaluation->performance->reference_latency_ms;
  out +=
      fmt::format("  total    {}  ({}; a call of {}, without cutting and combining)\n",
                  human_time(times.total_ns), total_name(*row.plan.transport), row.plan.function);
  if (reference_ms > 0)
    out += fmt::format("  reference {}, unsharded\n", human_time(reference_ms * 1e6));
  return out;
}

Json times_json(const ShardRow& row) {
  if (!row.result.times) return Json();
  Json ranks = Json::array();
  for (const Summary& one : row.result.times->ranks)
    ranks.push_back({{"median_ns", one.median}, {"p10_ns", one.p10}, {"samples", one.count}});
  return {{"ranks", ranks},
          {"total_ns", row.result.times->total_ns},
          {"total", total_name(*row.plan.transport)},
          {"reference_ns", row.trace.evaluation->performance->reference_latency_ms * 1e6}};
}

Json mesh_json(const ShardPlan& plan) {
  Json axes = Json::array();
  for (const ShardLine& line : plan.lines())
    axes.push_back({{"name", line.name},
                    {"ranks", line.layout.ranks},
                    {"axis", line.layout.axes},
                    {"combine", line.combine->name}});
  return axes;
}

Json row_json(const ShardRow& row) {
  const Evaluation& evaluation = *row.trace.evaluation;
  Json axes = Json::object();
  for (const auto& [name, length] : row.trace.workload.axes) axes[name] = length;
  Json json = {{"definition", row.trace.definition},
               {"workload", row.trace.workload.uuid},
               {"workload_axes", axes},
               {"solution", *row.trace.solution},
               {"axis", row.plan.layout.axes},
               {"ranks", rank_count(row.plan.lines())},
               {"combine", row.plan.combine->name},
               {"transport", row.plan.transport->name},
               {"function", row.plan.function},
               {"rank_has", row.result.has},
               {"status", status_name(evaluation.status)},
               {"cause", cause_of(row.trace)}};
  if (has_errors(evaluation))
    json["correctness"] = {{"max_absolute_error", evaluation.correctness->max_absolute_error},
                           {"max_relative_error", evaluation.correctness->max_relative_error}};
  if (const ConfigurationRecord* const chosen = configuration_of(row.trace))
    json["configuration"] = Json::parse(to_json(*chosen, Dump::full));
  if (!row.plan.outer.empty()) json["mesh"] = mesh_json(row.plan);
  json["times"] = times_json(row);
  return json;
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string verdict_word(const Discovered& one) {
  if (one.is_valid) return "valid";
  if (one.is_valid_unrounded) return "unrounded";
  return one.combine.empty() ? "impossible" : "not shardable";
}

}  // namespace

std::string shard_text(const ShardRow& row) {
  const Evaluation& evaluation = *row.trace.evaluation;
  std::string out =
      printable(fmt::format("{} {} {}", row.trace.definition, row.trace.workload.uuid.substr(0, 8),
                            *row.trace.solution)) +
      "\n";
  std::vector<std::string> cuts;
  for (const ShardLine& line : row.plan.lines())
    cuts.push_back(fmt::format("{} cut in {}{}, combined by {}", join(line.layout.axes, " and "),
                               counted(static_cast<std::size_t>(line.layout.ranks), "rank"),
                               line.name.empty() ? "" : " of " + line.name, line.combine->name));
  out += fmt::format("  {}, transport {}, function {}\n", join(cuts, "; "),
                     row.plan.transport->name, row.plan.function);
  if (!row.result.has.empty()) out += fmt::format("  a rank has {}\n", row.result.has);
  if (const ConfigurationRecord* const chosen = configuration_of(row.trace))
    out +=
        fmt::format("  configured {} ({})\n", configuration_text(chosen->values), chosen->source);
  out += fmt::format("  {}", status_name(evaluation.status));
  if (has_errors(evaluation))
    out += fmt::format("  largest error {:.3g} (relative {:.3g})",
                       evaluation.correctness->max_absolute_error,
                       evaluation.correctness->max_relative_error);
  out += "\n";
  if (const std::string cause = cause_of(row.trace); !cause.empty())
    out += fmt::format("  {}\n", cause);
  return row.result.times ? out + times_text(row) : out;
}

std::string shard_json(const std::vector<ShardRow>& rows) {
  Json json = Json::array();
  for (const ShardRow& row : rows) json.push_back(row_json(row));
  return dump(json);
}

std::string discovery_text(const DiscoveryRow& row) {
  std::string out = printable(fmt::format("{} {} in {} ranks, by the reference", row.definition,
                                          row.workload.substr(0, 8), row.ranks)) +
                    "\n";
  for (const Discovered& one : row.found) {
    out += fmt::format("  {:<12} {:<14} {:<13}", one.axis, one.combine.empty() ? "-" : one.combine,
                       verdict_word(one));
    if (one.error) out += fmt::format("  error {:.3g}", *one.error);
    if (!one.why.empty()) out += "  " + one.why;
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  return out;
}

std::string discovery_json(const std::vector<DiscoveryRow>& rows) {
  Json json = Json::array();
  for (const DiscoveryRow& row : rows) {
    Json found = Json::array();
    for (const Discovered& one : row.found) {
      Json item = {{"axis", one.axis}, {"combine", one.combine}, {"verdict", verdict_word(one)}};
      if (one.error) item["max_absolute_error"] = *one.error;
      item["why"] = one.why;
      found.push_back(std::move(item));
    }
    json.push_back({{"definition", row.definition},
                    {"workload", row.workload},
                    {"ranks", row.ranks},
                    {"shardings", found}});
  }
  return dump(json);
}

}  // namespace kbench
