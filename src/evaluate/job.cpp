#include "evaluate/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/match.hpp"

namespace kbench {
namespace {

using Names = std::set<std::string, std::less<>>;

bool selects(const Names& chosen, std::string_view name) {
  return chosen.empty() || chosen.contains(name);
}

// The names that `words` stand for; those that stand for nothing are reported.
Names choose(const std::vector<std::string>& words, const std::vector<std::string>& known,
             std::string_view noun, Diagnostics& out) {
  Names chosen;
  for (const std::string& word : words) {
    NameMatch match = match_name(word, known, noun);
    if (match.name.empty()) {
      out.error({}, std::move(match.message), std::move(match.hint));
    } else {
      chosen.insert(std::move(match.name));
    }
  }
  return chosen;
}

template <class Record>
std::vector<std::string> names_of(const std::vector<Stored<Record>>& records) {
  std::vector<std::string> names;
  for (const auto& stored : records) names.push_back(stored.record.name);
  return names;
}

bool has_tag(const Definition& definition, const Names& tags) {
  return tags.empty() || std::any_of(definition.tags.begin(), definition.tags.end(),
                                     [&](const std::string& tag) { return tags.contains(tag); });
}

// Every word fits at least one name; a wrong one is better explained among all names there are.
bool all_known(const std::vector<std::string>& words, const std::vector<std::string>& names) {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return name.starts_with(word); });
  });
}

struct Chosen {
  Names definitions, solutions, workloads, op_types, tags;

  bool takes(const Definition& definition) const {
    return selects(definitions, definition.name) && selects(op_types, definition.op_type) &&
           has_tag(definition, tags);
  }
};

Chosen choose_all(const TraceSet& set, const std::vector<Stored<Trace>>& workloads,
                  const Selection& selection, Diagnostics& out) {
  std::vector<std::string> uuids;
  for (const auto& stored : workloads) uuids.push_back(stored.record.workload.uuid);
  std::vector<std::string> op_types;
  std::vector<std::string> tags;
  for (const auto& stored : set.definitions) {
    op_types.push_back(stored.record.op_type);
    tags.insert(tags.end(), stored.record.tags.begin(), stored.record.tags.end());
  }
  for (auto* list : {&uuids, &op_types, &tags}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  Chosen chosen;
  chosen.definitions = choose(selection.definitions, names_of(set.definitions), "definition", out);
  chosen.op_types = choose(selection.op_types, op_types, "op type", out);
  chosen.tags = choose(selection.tags, tags, "tag", out);
  chosen.workloads = choose(selection.workloads, uuids, "workload", out);
  // A prefix need be unique only among the solutions of what is chosen.
  std::vector<std::string> solutions;
  for (const auto& stored : set.solutions) {
    const Definition* definition = set.definition(stored.record.definition);
    if (definition != nullptr && chosen.takes(*definition)) solutions.push_back(stored.record.name);
  }
  if (solutions.empty() || !all_known(selection.solutions, solutions))
    solutions = names_of(set.solutions);
  chosen.solutions = choose(selection.solutions, solutions, "solution", out);
  return chosen;
}

}  // namespace

std::vector<Job> plan_jobs(const TraceSet& set, const std::vector<Stored<Trace>>& workloads,
                           const Selection& selection, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  const Chosen chosen = choose_all(set, workloads, selection, diagnostics);
  if (diagnostics.errors() != before) return {};
  std::unordered_map<std::string_view, std::vector<const Solution*>> by_definition;
  for (const auto& stored : set.solutions) {
    if (selects(chosen.solutions, stored.record.name))
      by_definition[stored.record.definition].push_back(&stored.record);
  }
  std::vector<Job> jobs;
  for (const Stored<Trace>& stored : workloads) {
    const Trace& trace = stored.record;
    const Definition* definition = set.definition(trace.definition);
    if (definition == nullptr) {
      diagnostics.error(
          {stored.path, stored.line, 1, "", ""},
          fmt::format("no definition \"{}\" in {}", trace.definition, set.root.string()));
      continue;
    }
    if (!chosen.takes(*definition) || !selects(chosen.workloads, trace.workload.uuid)) continue;
    Job job{definition, &stored, {}};
    for (const Solution* solution : by_definition[trace.definition]) {
      if (!trace.solution || *trace.solution == solution->name) job.solutions.push_back(solution);
    }
    if (!job.solutions.empty()) jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<Job> without_done(std::vector<Job> jobs, const std::vector<Stored<Trace>>& traces) {
  std::map<std::pair<std::string_view, std::string_view>, std::optional<std::string>> done;
  for (const auto& stored : traces) {
    const Trace& trace = stored.record;
    if (!trace.solution || !trace.evaluation) continue;
    const auto& details = trace.evaluation->kbench;
    done[{trace.workload.uuid, *trace.solution}] = details ? details->solution_hash : std::nullopt;
  }
  for (Job& job : jobs) {
    std::erase_if(job.solutions, [&](const Solution* solution) {
      const auto found = done.find({job.workload->record.workload.uuid, solution->name});
      return found != done.end() &&
             found->second.value_or(solution_hash(*solution)) == solution_hash(*solution);
    });
  }
  std::erase_if(jobs, [](const Job& job) { return job.solutions.empty(); });
  return jobs;
}

std::size_t count_evaluations(const std::vector<Job>& jobs) {
  std::size_t count = 0;
  for (const Job& job : jobs) count += job.solutions.size();
  return count;
}

}  // namespace kbench
