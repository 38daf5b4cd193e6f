#include "judge/derive/discover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "judge/derive/combine.hpp"
#include "judge/derive/shard.hpp"
#include "judge/trial_verdict.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

// The answer of each rank, or why there are none.
struct Parts {
  std::vector<ReferenceAnswer> answers;  // hold what `outputs` points to
  RankOutputs outputs;
  std::string why;
};

bool is_carried(const Definition& definition, const std::string& axis) {
  return std::any_of(definition.inputs.begin(), definition.inputs.end(), [&](const auto& input) {
    const auto& shape = input.second.shape;
    return shape && std::find(shape->begin(), shape->end(), axis) != shape->end();
  });
}

class Discoverer {
 public:
  Discoverer(const Workplace& place, std::int64_t ranks)
      : definition_(*place.job.definition),
        problem_(place.workload.problem),
        options_(place.options),
        sets_(judged_sets(place.workload)),
        ranks_(ranks) {}

  // Tries to cut these axes; tells whether a constraint keeps them from being cut without others.
  bool try_axes(const std::vector<std::string>& axes, std::vector<Discovered>& found) {
    Diagnostics reports;
    Discovered one;
    one.axis = join(axes, ",");
    const auto [layout, breaks_constraint] =
        try_layout(definition_, problem_, {axes, ranks_, {}}, {}, reports);
    one.why = layout ? "" : reports.items().front().message;
    std::vector<Parts> parts;  // one an input set
    for (std::size_t i = 0; layout && i < sets_.size() && one.why.empty(); ++i) {
      parts.push_back(run(*sets_[i], *layout, false));
      one.why = parts.back().why;
    }
    if (!one.why.empty()) {
      found.push_back(one);
      return breaks_constraint;
    }
    for (const Combine& how : combine_kinds()) {
      if (how.is_by_entry || !how.unfit(problem_, *layout).empty()) continue;
      one.combine = how.name;
      judge(how, *layout, parts, one);
      found.push_back(std::exchange(one, {one.axis, "", false, false, {}, ""}));
    }
    return false;
  }

 private:
  Parts run(const Trial& trial, const ShardLayout& layout, bool is_exact) {
    Parts parts;
    const Problem local = rank_problem(problem_, layout);
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
      const Inputs inputs = rank_inputs(trial.inputs, local, layout, rank);
      ReferenceAnswer answer = options_.evaluator->evaluate(
          definition_, local, inputs, {}, {.wanted = is_exact, .least_runs = 0, .most_runs = 0});
      if (answer.outcome != ReferenceAnswer::Outcome::ok) {
        parts.why = fmt::format("the reference fails on rank {}'s part: {}", rank, answer.message);
        return parts;
      }
      for (std::size_t i = 0; i < local.outputs.size(); ++i) {
        const TensorPlan& wanted = local.outputs[i];
        const TensorView& got = answer.outputs[i];
        if (got.shape == wanted.shape && got.dtype == wanted.dtype) continue;
        parts.why = fmt::format("the reference gives {} {} of rank {}'s part, which must be {}",
                                wanted.name, shape_text(got.shape), rank, shape_text(wanted.shape));
        return parts;
      }
      parts.outputs.push_back(answer.outputs);
      parts.answers.push_back(std::move(answer));
    }
    return parts;
  }

  void judge(const Combine& how, const ShardLayout& layout, const std::vector<Parts>& parts,
             Discovered& one) {
    std::vector<Verdict> verdicts;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const Combined combined = combine_outputs(how, problem_, layout, parts[i].outputs);
      one.why = combined.wrong;
      if (!one.why.empty()) return;
      verdicts.push_back(
          trial_verdict(*options_.rule, problem_, options_.config, *sets_[i], combined.outputs));
      if (verdicts.back().status != Status::passed) break;
    }
    const bool is_one_wrong = verdicts.back().status != Status::passed;
    const Verdict verdict = is_one_wrong ? verdicts.back() : combine(verdicts);
    one.is_valid = verdict.status == Status::passed;
    one.why = verdict.detail;
    const bool has_numbers = one.is_valid || verdict.status == Status::incorrect_numerical;
    if (has_numbers) one.error = verdict.correctness.max_absolute_error;
    const bool may_be_rounding = !one.is_valid && how.name == "sum" && rounds_outputs();
    if (may_be_rounding && is_sum_unrounded(layout)) {
      one.is_valid_unrounded = true;
      one.why = fmt::format("right where the ranks' sums are not rounded to {} before",
                            info(problem_.outputs.front().dtype).name);
    }
  }

  bool rounds_outputs() const {
    const auto& outputs = problem_.outputs;
    return std::all_of(outputs.begin(), outputs.end(), [](const TensorPlan& output) {
      return info(output.dtype).kind == DTypeKind::floating && info(output.dtype).bits < 32;
    });
  }

  bool is_sum_unrounded(const ShardLayout& layout) {
    return std::all_of(sets_.begin(), sets_.end(),
                       [&](const Trial* set) { return is_sum_unrounded(*set, layout); });
  }

  // Tells whether the double sum over ranks is the whole's answer, but for its last digits.
  bool is_sum_unrounded(const Trial& trial, const ShardLayout& layout) {
    constexpr double tolerance = 1e-9;  // share of the largest part of a sum
    const Parts parts = run(trial, layout, true);
    const auto& whole = trial.reference.exact;
    if (!parts.why.empty() || !whole) return false;
    for (const ReferenceAnswer& answer : parts.answers)
      if (!answer.exact) return false;
    for (std::size_t i = 0; i < whole->outputs.size(); ++i) {
      const auto& wanted = whole->outputs[i].values;
      if (layout.is_cut(i)) return false;
      for (std::size_t at = 0; at < wanted.size(); ++at) {
        double sum = 0, largest = std::fabs(wanted[at]);
        for (const ReferenceAnswer& answer : parts.answers) {
          const double part = answer.exact->outputs[i].values[at];
          sum += part;
          largest = std::max(largest, std::fabs(part));
        }
        if (!(std::fabs(sum - wanted[at]) <= tolerance * largest)) return false;
      }
    }
    return true;
  }

  const Definition& definition_;
  const Problem& problem_;
  const EvaluateOptions& options_;
  const std::vector<const Trial*> sets_;
  const std::int64_t ranks_;
};

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

// Names what total_ns is.
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

std::vector<Discovered> discover_shardings(const Workplace& place, std::int64_t ranks) {
  Discoverer discoverer(place, ranks);
  const Definition& definition = *place.job.definition;
  std::vector<Discovered> found;
  std::vector<std::string> bound;  // axes that are not cut alone
  for (const auto& [axis, kind] : definition.axes)
    if (is_carried(definition, axis) && discoverer.try_axes({axis}, found)) bound.push_back(axis);
  for (std::size_t i = 0; i < bound.size(); ++i)
    for (std::size_t j = i + 1; j < bound.size(); ++j)
      discoverer.try_axes({bound[i], bound[j]}, found);
  return found;
}

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
