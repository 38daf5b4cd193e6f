#include "cli/run/build_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "base/text.hpp"
#include "build/compile.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

// A configuration that is built, and for whom.
struct BuildCandidate {
  const Solution* solution = nullptr;
  std::string source;         // source of the first
  std::size_t workloads = 0;  // number that get these macros
};

std::string who(const std::string& source) {
  if (source == "override") return "by --cfg";
  if (source == "overlay") return "by an overlay";
  if (source == "heuristic") return "the heuristic's";
  return "that was tuned";
}

// Facts of every call: axes of one length alone, dtypes, and what the Solution is.
CallFacts constants(const Definition& definition, const Tunables& tunables) {
  CallFacts facts = with_facts(dtype_facts(definition), tunables.implementation);
  for (const auto& [name, axis] : definition.axes) {
    if (const auto length = const_value(axis)) facts[name] = *length;
  }
  return facts;
}

// Origin of a row of the heuristic: "the heuristic's, where M < 4".
std::string when(const Tunables& tunables, std::size_t row) {
  const auto& condition = tunables.heuristic[row].condition;
  const std::string whose = who("heuristic");
  if (condition) return fmt::format("{}, where {}", whose, condition->text);
  return row == 0 ? whose : whose + ", elsewhere";
}

}  // namespace

std::vector<const Solution*> BuildChoice::solutions(const TraceSet& set,
                                                    const std::vector<const Solution*>& chosen,
                                                    const Toolchain& toolchain,
                                                    Diagnostics& reports) {
  std::vector<const Solution*> out;
  bool any_tunable = false;
  for (const Solution* solution : chosen) {
    const Stored<Solution>* const stored = set.stored(*solution);
    if (declared_parameters(*stored).empty()) {
      out.push_back(solution);
      continue;
    }
    any_tunable = true;
    const Definition* const definition = set.definition(solution->definition);
    const bool has_workloads =
        definition != nullptr &&
        std::any_of(set.workloads.begin(), set.workloads.end(),
                    [&](const auto& one) { return one.record.definition == definition->name; });
    const std::size_t before = reports.errors();
    auto made = has_workloads ? by_workloads(set, *solution, toolchain, reports)
                              : std::vector<const Solution*>{};
    if (made.empty() && reports.errors() == before) made = by_rows(*stored, definition, reports);
    out.insert(out.end(), made.begin(), made.end());
  }
  if (plan_.chosen && !any_tunable && !chosen.empty())
    reports.error({}, "--cfg: none of the solutions declares parameters",
                  "docs/tuning.md says how one does");
  return out;
}

std::vector<const Solution*> BuildChoice::by_workloads(const TraceSet& set,
                                                       const Solution& solution,
                                                       const Toolchain& toolchain,
                                                       Diagnostics& reports) {
  const Definition* const definition = set.definition(solution.definition);
  std::vector<Job> jobs;
  for (const Stored<Trace>& workload : set.workloads) {
    if (workload.record.definition == definition->name)
      jobs.push_back({definition, &workload, {&solution}});
  }
  std::vector<std::string> order;
  std::map<std::string, BuildCandidate> choices;  // keyed by macros
  for (const Job& job : jobs_.configured(set, std::move(jobs), toolchain, reports)) {
    const Solution* const configured = job.solutions.front();
    if (!configured->spec.configuration) continue;  // the workload is wrong: validate says how
    const std::string macros = configuration_text(configured->spec.configuration->define);
    const auto [entry, is_new] = choices.try_emplace(macros);
    if (is_new) {
      const auto record = jobs_.record_of(job, *configured);
      entry->second = {configured, record ? record->source : "", 0};
      order.push_back(macros);
    }
    ++entry->second.workloads;
  }
  std::vector<const Solution*> out;
  for (const std::string& macros : order) {
    const BuildCandidate& choice = choices.at(macros);
    out.push_back(choice.solution);
    said_.push_back(fmt::format("{} with {}: {}, for {}", solution.name,
                                macros.empty() ? "no macros" : macros, who(choice.source),
                                counted(choice.workloads, "workload")));
  }
  return out;
}

// Configurations to build where no axes are known: that of --cfg, else each row of the heuristic,
// else the first configuration that the conditions allow where these need no other axes.
std::vector<BuildChoice::Wanted> BuildChoice::wanted_of(const Tunables& tunables,
                                                        const Definition* definition) const {
  if (plan_.chosen) return {{*plan_.chosen, who("override")}};
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < tunables.heuristic.size(); ++i)
    wanted.push_back({tunables.heuristic[i].values, when(tunables, i)});
  if (!wanted.empty()) return wanted;
  const auto facts = definition == nullptr ? CallFacts{} : constants(*definition, tunables);
  if (const auto first = heuristic_configuration(tunables, facts))
    wanted.push_back({*first, "the first one that its conditions allow"});
  return wanted;
}

std::vector<const Solution*> BuildChoice::by_rows(const Stored<Solution>& stored,
                                                  const Definition* definition,
                                                  Diagnostics& reports) {
  const Solution& solution = stored.record;
  const std::size_t before = reports.errors();
  const Sidecar sidecar = definition == nullptr ? sidecar_of(stored, reports)
                                                : checked_sidecar(stored, *definition, reports);
  const Tunables& tunables = sidecar.tunables;
  if (reports.errors() != before) return {};
  const auto wanted = wanted_of(tunables, definition);
  if (wanted.empty())
    reports.error({stored.path},
                  fmt::format("which configuration of {} is built depends on the axes, and there "
                              "is no workload",
                              solution.name),
                  "--cfg NAME=VALUE,… says which");
  std::vector<const Solution*> out;
  std::vector<std::string> seen;
  for (const auto& [values, why] : wanted) {
    const std::string wrong = unfit_values(values, tunables);
    if (!wrong.empty()) {
      reports.error({stored.path}, fmt::format("--cfg: {} is no configuration of {}: {}",
                                               configuration_text(values), solution.name, wrong));
      continue;
    }
    Solution made =
        definition == nullptr ? solution : called_solution(solution, sidecar, *definition);
    made = with_configuration(std::move(made), tunables, values);
    const std::string macros = configuration_text(made.spec.configuration->define);
    if (std::find(seen.begin(), seen.end(), macros) != seen.end()) continue;
    seen.push_back(macros);
    said_.push_back(
        fmt::format("{} with {}: {}", solution.name, macros.empty() ? "no macros" : macros, why));
    out.push_back(&made_.emplace_back(std::move(made)));
  }
  return out;
}

namespace fs = std::filesystem;

std::string macros_of(const Solution& solution) {
  const auto& chosen = solution.spec.configuration;
  return chosen ? configuration_text(chosen->define) : "";
}

PlacedBuild place_build(const Solution& solution, const BuildResult& result,
                        const fs::path& folder) {
  const std::string macros = macros_of(solution);
  const fs::path own = folder / file_name_of(solution.name + (macros.empty() ? "" : " " + macros));
  fs::remove_all(own);  // removes an earlier version's
  const std::string& entry = result.hosted.empty() ? solution.spec.entry_point : result.hosted;
  const auto cut = entry.find("::");
  const std::string function = result.symbol.empty() ? entry.substr(cut + 2) : result.symbol;
  if (find_builder(solution.spec.language)->flags == nullptr) {
    write_sources(solution, own);
    return {own / entry.substr(0, cut), function};
  }
  const fs::path library =
      result.hosted.empty() ? result.library : result.library / entry.substr(0, cut);
  const fs::path placed = own / library.filename();
  write_file(placed, read_file(library));
  return {placed, function};
}

}  // namespace kbench
