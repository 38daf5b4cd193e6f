#include "cluster/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "schema/read.hpp"
#include "schema/scan.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

constexpr std::size_t digits = 16;  // length of digests
constexpr int most_bad_lines = 20;  // more would repeat the same

double cost_of(const PlannedWork& work) {
  return std::accumulate(work.pairs_ms.begin(), work.pairs_ms.end(), work.reference_ms);
}

double total_of(const std::vector<PlannedWork>& work) {
  return std::accumulate(work.begin(), work.end(), 0.0,
                         [](double sum, const PlannedWork& one) { return sum + cost_of(one); });
}

// Shards that are filled one after the other, each up to its part.
class Filling {
 public:
  Filling(double part_ms, std::int64_t shards) : part_ms_(part_ms), loads_ms_(shards) {}

  // Returns false where there is no room left. Work that reaches over the end of a shard goes on in
  // the next one, which has the reference, too.
  bool add(const PlannedWork& work) {
    begin(work);
    for (std::size_t i = 0; i < work.unit.solutions.size(); ++i) {
      const bool is_full = load() + work.pairs_ms[i] / 2 > part_ms_;
      if (is_full && load() > work.reference_ms) {
        if (++shard_ == loads_ms_.size()) return false;
        begin(work);
      }
      PlanUnit& unit = units.back();
      unit.solutions.push_back(work.unit.solutions[i]);
      unit.digests.push_back(work.unit.digests[i]);
      unit.cost_ms += work.pairs_ms[i];
      load() += work.pairs_ms[i];
    }
    return true;
  }

  const std::vector<double>& loads_ms() const { return loads_ms_; }

  std::vector<PlanUnit> units;  // units, some of them without a solution

 private:
  void begin(const PlannedWork& work) {
    PlanUnit& unit = units.emplace_back();
    unit.definition = work.unit.definition;
    unit.workload = work.unit.workload;
    unit.cost_ms = work.reference_ms;
    unit.shard = static_cast<std::int64_t>(shard_);
    load() += work.reference_ms;
  }

  double& load() { return loads_ms_[shard_]; }

  double part_ms_;
  std::vector<double> loads_ms_;
  std::size_t shard_ = 0;
};

// Cuts the work, so that all shards have about as much of it; references that come more than once
// make the parts longer than they would be.
Filling fill(const std::vector<const PlannedWork*>& work, double part_ms, std::int64_t shards) {
  while (true) {
    Filling filling(part_ms, shards);
    if (std::all_of(work.begin(), work.end(),
                    [&](const PlannedWork* one) { return filling.add(*one); }))
      return filling;
    part_ms *= 1.01;
  }
}

// Deals units, the longest first, each to the shard that has least to do.
void deal(std::vector<PlanUnit>& units, const std::vector<double>& loads_ms) {
  using Load = std::pair<double, std::int64_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t shard = 0; shard < loads_ms.size(); ++shard)
    loads.emplace(loads_ms[shard], static_cast<std::int64_t>(shard));
  std::vector<std::size_t> order(units.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&units](std::size_t a, std::size_t b) {
    return units[a].cost_ms > units[b].cost_ms;
  });
  for (const std::size_t i : order) {
    const auto [load, shard] = loads.top();
    loads.pop();
    units[i].shard = shard;
    loads.emplace(load + units[i].cost_ms, shard);
  }
}

// Returns the units of both in the order of the work.
std::vector<PlanUnit> in_order(const std::vector<PlannedWork>& work, std::vector<PlanUnit> small,
                               std::vector<PlanUnit> cut) {
  std::vector<PlanUnit> units;
  auto next_small = small.begin(), next_cut = cut.begin();
  const auto is_of = [](const PlanUnit& unit, const PlannedWork& one) {
    return unit.workload == one.unit.workload && unit.definition == one.unit.definition;
  };
  for (const PlannedWork& one : work) {
    if (next_small != small.end() && is_of(*next_small, one))
      units.push_back(std::move(*next_small++));
    while (next_cut != cut.end() && is_of(*next_cut, one)) units.push_back(std::move(*next_cut++));
  }
  return units;
}

std::size_t count_pairs_of(const std::vector<PlanUnit>& units) {
  return std::accumulate(
      units.begin(), units.end(), std::size_t{0},
      [](std::size_t sum, const PlanUnit& unit) { return sum + unit.solutions.size(); });
}

// Returns a pair that two units have, as text; "" where each has its own.
std::string doubled_pair(const std::vector<PlanUnit>& units) {
  std::vector<std::tuple<std::string_view, std::string_view, std::string_view>> pairs;
  for (const PlanUnit& unit : units)
    for (const std::string& solution : unit.solutions)
      pairs.emplace_back(unit.definition, unit.workload, solution);
  std::sort(pairs.begin(), pairs.end());
  const auto found = std::adjacent_find(pairs.begin(), pairs.end());
  if (found == pairs.end()) return "";
  const auto& [definition, workload, solution] = *found;
  return fmt::format("{} on workload {} of {}", solution, workload, definition);
}

// Checks facts that no line tells by itself.
void check_whole(const ClusterPlan& plan, const std::string& path, Diagnostics& reports) {
  const Where where{path};
  const std::size_t pairs = plan.count_pairs();
  if (static_cast<std::int64_t>(pairs) != plan.head.pairs)
    reports.error(where,
                  fmt::format("was cut or changed: it has {}, and its first line says {}",
                              counted(pairs, "pair"), plan.head.pairs),
                  "make it anew with kbench plan");
  if (plan.head.shards > std::max<std::int64_t>(1, plan.head.pairs))
    reports.error(where,
                  fmt::format("has {} shards, and {}", plan.head.shards, counted(pairs, "pair")),
                  "make it anew with kbench plan");
  if (const std::string pair = doubled_pair(plan.units); !pair.empty())
    reports.error(where, fmt::format("has {} twice", pair), "make it anew with kbench plan");
}

std::string line_problem(const PlanUnit& unit, const PlanHead& head) {
  if (unit.digests.size() != unit.solutions.size()) return "each solution has one digest";
  if (unit.shard >= head.shards)
    return fmt::format("there is no shard {}: the plan has {}", unit.shard, head.shards);
  return "";
}

// Passes the lines of a text, without their breaks, as long as `take` wants more.
void for_each_line(std::string_view text, const std::function<bool(std::string_view)>& take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!take(text.substr(0, end))) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

class PlanReader {
 public:
  PlanReader(std::string path, Diagnostics& reports) : path_(std::move(path)), reports_(reports) {}

  // Tells whether to look at more lines: they say nothing behind a head that is none.
  bool take(std::string_view text) {
    ++line_;
    const Source source{path_, std::string(text)};
    Diagnostics found;
    if (line_ > 1)
      take_unit(source, found);
    else if (text.find("\"kbench_plan\"") == text.npos)
      found.error({path_}, "is no plan: it does not begin with \"kbench_plan\"",
                  "kbench plan makes a plan");
    else
      take_head(source, found);
    append_at_line(reports_, found, line_);
    bad_lines_ += found.errors() > 0 ? 1 : 0;
    return bad_lines_ == 0 || (line_ > 1 && bad_lines_ < most_bad_lines);
  }

  ClusterPlan plan;

 private:
  void take_head(const Source& source, Diagnostics& found) {
    const auto head = read_text<PlanHead>(source, {}, found);
    if (head && head->kbench_plan != 1)
      found.error({path_, 1, 1, "", ""}, "the form of this plan is of another version",
                  "make it anew with kbench plan");
    if (head) plan.head = *head;
  }

  void take_unit(const Source& source, Diagnostics& found) {
    auto unit = read_text<PlanUnit>(source, {}, found);
    if (!unit) return;
    const std::string problem = line_problem(*unit, plan.head);
    if (!problem.empty()) found.error({path_, 1, 1, "", ""}, problem);
    plan.units.push_back(std::move(*unit));
  }

  std::string path_;
  Diagnostics& reports_;
  int line_ = 0, bad_lines_ = 0;
};

}  // namespace

std::size_t ClusterPlan::count_pairs() const { return count_pairs_of(units); }

std::string pair_digest(const std::string& definition, const std::string& workload,
                        const std::string& solution) {
  return sha256_hex(definition + "\n" + workload + "\n" + solution).substr(0, digits);
}

std::vector<PlanUnit> divide(const std::vector<PlannedWork>& work, std::int64_t shards) {
  const double part_ms = total_of(work) / static_cast<double>(shards);
  std::vector<const PlannedWork*> large;
  std::vector<PlanUnit> small;
  for (const PlannedWork& one : work) {
    if (cost_of(one) > part_ms && one.unit.solutions.size() > 1) {
      large.push_back(&one);
      continue;
    }
    small.push_back(one.unit);
    small.back().cost_ms = cost_of(one);
  }
  Filling filling = fill(large, part_ms, shards);
  deal(small, filling.loads_ms());
  std::erase_if(filling.units, [](const PlanUnit& unit) { return unit.solutions.empty(); });
  return in_order(work, std::move(small), std::move(filling.units));
}

std::int64_t shards_for(const std::vector<PlannedWork>& work, double target_ms) {
  return std::max<std::int64_t>(1, std::llround(std::ceil(total_of(work) / target_ms)));
}

std::vector<double> shard_costs(const std::vector<PlanUnit>& units, std::int64_t shards) {
  std::vector<double> costs(static_cast<std::size_t>(shards));
  for (const PlanUnit& unit : units) costs.at(static_cast<std::size_t>(unit.shard)) += unit.cost_ms;
  return costs;
}

std::string plan_text(const PlanHead& head, const std::vector<PlanUnit>& units) {
  PlanHead counted = head;
  counted.pairs = static_cast<std::int64_t>(count_pairs_of(units));
  std::string text = to_json(counted, Dump::full) + "\n";
  for (const PlanUnit& unit : units) text += to_json(unit, Dump::full) + "\n";
  return text;
}

std::optional<ClusterPlan> read_plan(const std::filesystem::path& file, Diagnostics& reports) {
  const std::size_t before = reports.errors();
  PlanReader reader(file.string(), reports);
  try {
    const std::string text = read_file(file);
    reader.plan.digest = sha256_hex(text).substr(0, digits);
    for_each_line(text, [&](std::string_view line) { return reader.take(line); });
    if (text.empty()) reports.error({file.string()}, "is no plan: it is empty");
    if (reports.errors() == before) check_whole(reader.plan, file.string(), reports);
  } catch (const std::system_error& error) {
    reports.error({file.string()}, fmt::format("cannot be read: {}", error.code().message()),
                  "kbench plan makes a plan");
  }
  if (reports.errors() != before) return std::nullopt;
  return std::move(reader.plan);
}

}  // namespace kbench
