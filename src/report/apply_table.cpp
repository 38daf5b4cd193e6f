#include "report/apply_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

// A solution, and the configuration of its record as text: "" where it has none.
using Candidate = std::pair<std::string, std::string>;

std::string text_of(const std::optional<Configuration>& values) {
  return values ? configuration_text(*values) : "";
}

Candidate candidate_of(const Result& result) {
  const Configuration* const values = configuration_of(*result.trace);
  return {std::string(result.solution), values == nullptr ? "" : configuration_text(*values)};
}

// The times of one definition at one set of axis values: the mean of ln of a candidate's times over
// all of the workloads, each of which it passed.
using Times = std::map<Candidate, double>;

// The names of its axes, in one order whatever that of the record is.
std::vector<std::string> axis_names_of(const Result& result) {
  std::vector<std::string> names;
  for (const auto& [name, value] : result.trace->workload.axes) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

ApplyAxes axes_of(const Result& result, const std::vector<std::string>& names) {
  ApplyAxes values;
  for (const std::string& name : names) values.push_back(*result.trace->workload.axes.find(name));
  return values;
}

// The end of the interval that speaks against it: a time that is hardly known wins nothing.
double log_time(const Estimate& speed) {
  return speed.interval ? speed.interval->high : speed.value;
}

Times times_of(const std::vector<const Result*>& results) {
  std::set<std::string_view> workloads;
  std::set<Candidate> failed;
  std::map<Candidate, std::vector<double>> logs;
  for (const Result* result : results) {
    workloads.insert(result->workload);
    if (result->passed && result->speed)
      logs[candidate_of(*result)].push_back(log_time(*result->speed));
    else
      failed.insert(candidate_of(*result));
  }
  Times times;
  for (const auto& [candidate, own] : logs) {
    if (failed.contains(candidate) || own.size() < workloads.size()) continue;
    double sum = 0;
    for (const double log_ns : own) sum += log_ns;
    times[candidate] = sum / static_cast<double>(own.size());
  }
  return times;
}

double distance(const ApplyAxes& a, const ApplyAxes& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::fabs(std::log2(static_cast<double>(a[i]) + 1) -
                     std::log2(static_cast<double>(b[i]) + 1));
  return sum;
}

Regret regret_of(const std::vector<ApplyEntry>& entries, const std::vector<Times>& times) {
  Regret regret;
  regret.held_out = entries.size();
  double sum = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::vector<ApplyEntry> others = entries;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const ApplyEntry& nearest = nearest_entry(others, entries[i].axes);
    const auto found = times[i].find({nearest.solution, text_of(nearest.configuration)});
    if (found == times[i].end()) {
      ++regret.failed;
      continue;
    }
    const double log_ratio = found->second - std::log(entries[i].ns);
    sum += log_ratio;
    regret.worst = std::max(regret.worst, std::expm1(log_ratio));
  }
  const std::size_t timed = regret.held_out - regret.failed;
  if (timed > 0) regret.mean = std::expm1(sum / static_cast<double>(timed));
  return regret;
}

// Values in its records: the text is for comparing, a word and a number may read alike there.
std::optional<Configuration> configuration_in(const std::vector<const Result*>& results,
                                              const Candidate& candidate) {
  for (const Result* result : results) {
    const Configuration* const values = configuration_of(*result->trace);
    if (values != nullptr && candidate_of(*result) == candidate) return *values;
  }
  return std::nullopt;
}

std::string hash_in(const std::vector<const Result*>& results, const Candidate& candidate) {
  for (const Result* result : results) {
    const auto& details = result->trace->evaluation->kbench;
    if (details && candidate_of(*result) == candidate) return details->solution_hash.value_or("");
  }
  return "";
}

using ByName = std::map<std::string, std::vector<const Result*>>;
using ByAxes = std::map<ApplyAxes, std::vector<const Result*>>;

ByName by_definition(const std::vector<Result>& results) {
  ByName by_name;
  for (const Result& result : results) by_name[std::string(result.definition)].push_back(&result);
  return by_name;
}

// The results that have the axes of the first one.
ByAxes by_axes_of(const std::vector<const Result*>& results) {
  const auto axes = axis_names_of(*results.front());
  ByAxes by_axes;
  for (const Result* result : results)
    if (axis_names_of(*result) == axes) by_axes[axes_of(*result, axes)].push_back(result);
  return by_axes;
}

// The usable solution of the least time over all axis values, "" where none has passed everywhere.
std::string one_solution(const std::vector<const Result*>& results,
                         const std::function<bool(const std::string&)>& is_usable) {
  std::map<std::string, std::pair<std::size_t, double>> sums;
  const ByAxes by_axes = by_axes_of(results);
  for (const auto& [axes, own] : by_axes) {
    for (const auto& [candidate, log_ns] : times_of(own)) {
      if (!candidate.second.empty() || !is_usable(candidate.first)) continue;
      auto& [count, sum] = sums[candidate.first];
      ++count;
      sum += log_ns;
    }
  }
  std::string best;
  for (const auto& [name, timed] : sums)
    if (timed.first == by_axes.size() && (best.empty() || timed.second < sums[best].second))
      best = name;
  return best;
}

AppliedDefinition applied(const std::vector<const Result*>& results) {
  AppliedDefinition out;
  out.axes = axis_names_of(*results.front());
  std::vector<Times> all;
  for (const auto& [axes, own] : by_axes_of(results)) {
    Times times = times_of(own);
    const auto best =
        std::min_element(times.begin(), times.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == times.end()) {
      out.unserved.push_back(axes);
      continue;
    }
    out.entries.push_back({axes, best->first.first, std::exp(best->second),
                           configuration_in(own, best->first), hash_in(own, best->first)});
    all.push_back(std::move(times));
  }
  if (out.entries.size() > 1) out.regret = regret_of(out.entries, all);
  return out;
}

// Rounds to six digits: more than any time has.
double rounded(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

Json json_of(const Configuration& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values)
    json[name] = std::visit([](const auto& one) { return Json(one); }, value);
  return json;
}

Json json_of(const AppliedDefinition& definition, const ApplyAxes& values) {
  Json axes = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) axes[definition.axes[i]] = values[i];
  return axes;
}

Json json_of(const AppliedDefinition& definition) {
  Json entries = Json::array();
  for (const ApplyEntry& entry : definition.entries) {
    Json row = {{"axes", json_of(definition, entry.axes)}, {"solution", entry.solution}};
    if (entry.configuration) row["configuration"] = json_of(*entry.configuration);
    if (!entry.solution_hash.empty()) row["solution_hash"] = entry.solution_hash;
    row["ns"] = rounded(entry.ns);
    entries.push_back(std::move(row));
  }
  Json regret;
  if (definition.regret)
    regret = {{"held_out", definition.regret->held_out},
              {"failed", definition.regret->failed},
              {"mean", rounded(definition.regret->mean)},
              {"worst", rounded(definition.regret->worst)}};
  Json json = {{"axes", definition.axes}, {"entries", entries}};
  for (const ApplyAxes& axes : definition.unserved)
    json["unserved"].push_back(json_of(definition, axes));
  json["regret"] = regret;
  return json;
}

}  // namespace

const ApplyEntry& nearest_entry(const std::vector<ApplyEntry>& entries, const ApplyAxes& axes) {
  return *std::min_element(entries.begin(), entries.end(),
                           [&axes](const ApplyEntry& a, const ApplyEntry& b) {
                             const double to_a = distance(a.axes, axes);
                             const double to_b = distance(b.axes, axes);
                             return to_a != to_b ? to_a < to_b : a.axes < b.axes;
                           });
}

ApplyTable apply_table(const std::vector<Result>& results) {
  ApplyTable table;
  for (const auto& [name, own] : by_definition(results)) {
    AppliedDefinition definition = applied(own);
    if (!definition.entries.empty()) table.emplace(name, std::move(definition));
  }
  return table;
}

std::map<std::string, std::string> one_solution_each(
    const std::vector<Result>& results,
    const std::function<bool(const std::string& solution)>& is_usable) {
  std::map<std::string, std::string> chosen;
  for (const auto& [name, own] : by_definition(results)) {
    std::string solution = one_solution(own, is_usable);
    if (!solution.empty()) chosen[name] = std::move(solution);
  }
  return chosen;
}

std::string write_apply_table(const ApplyTable& table, const std::string& hardware) {
  Json definitions = Json::object();
  for (const auto& [name, definition] : table) definitions[name] = json_of(definition);
  return Json{{"version", 1},
              {"hardware", hardware},
              {"rule", "nearest"},
              {"definitions", definitions}}
             .dump(2) +
         "\n";
}

}  // namespace kbench
