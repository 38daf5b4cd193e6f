#include "judge/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "base/words.hpp"
#include "problem/constraint.hpp"
#include "problem/launch.hpp"
#include "schema/place.hpp"
#include "schema/record_signature.hpp"
#include "schema/trace.hpp"

namespace kbench {
namespace {

using JobNames = std::set<std::string, std::less<>>;

bool selects(const JobNames& chosen, std::string_view name) {
  return chosen.empty() || chosen.contains(name);
}

std::string known_hint(const std::vector<std::string>& known, std::string_view noun) {
  if (known.empty()) return fmt::format("there is no {}", noun);
  if (known.size() <= 8) return "known are " + join(known, ", ");
  const bool listed = noun == "definition" || noun == "solution" || noun == "workload";
  return listed ? fmt::format("kbench list {}s shows what there is", noun)
                : fmt::format("there are {}, among them {} and {}", known.size(), known.front(),
                              known.back());
}

// The names that `words` stand for; those that stand for nothing are reported.
JobNames choose(const std::vector<std::string>& words, const std::vector<std::string>& known,
                std::string_view noun, Diagnostics& out, const Where& said = {}) {
  JobNames chosen;
  for (const std::string& word : words) {
    NameMatch why;
    const std::vector<std::string> names = match_names(word, known, noun, why);
    chosen.insert(names.begin(), names.end());
    if (!names.empty()) continue;
    if (why.hint.empty()) why.hint = known_hint(known, noun);
    out.error(said, std::move(why.message), std::move(why.hint));
  }
  return chosen;
}

// The words without those that are the name of a broken file, which are reported.
std::vector<std::string> without_broken(std::vector<std::string> words,
                                        const std::vector<std::string>& broken,
                                        std::string_view noun, Diagnostics& out) {
  std::erase_if(words, [&](const std::string& word) {
    if (std::find(broken.begin(), broken.end(), word) == broken.end()) return false;
    out.error({}, fmt::format("{} \"{}\" cannot be read", noun, word),
              "what is wrong with its file is said above");
    return true;
  });
  return words;
}

template <class Record>
std::vector<std::string> names_of(const std::vector<Stored<Record>>& records) {
  std::vector<std::string> names;
  for (const auto& stored : records) names.push_back(stored.record.name);
  return names;
}

bool has_tag(const Definition& definition, const JobNames& tags) {
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

struct ChosenRecords {
  JobNames definitions, solutions, workloads, op_types, tags;

  bool takes(const Definition& definition) const {
    return selects(definitions, definition.name) && selects(op_types, definition.op_type) &&
           has_tag(definition, tags);
  }
  bool takes_any_definition() const {
    return definitions.empty() && op_types.empty() && tags.empty();
  }
};

std::vector<std::string> each_once(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// A prefix need be unique only among the records of the chosen definitions.
template <class Record, class NameOf>
std::vector<std::string> names_among(const std::vector<Stored<Record>>& records,
                                     const TraceSet& set, const ChosenRecords& chosen,
                                     const std::vector<std::string>& words, NameOf name_of) {
  std::vector<std::string> all, near;
  for (const auto& stored : records) {
    all.push_back(name_of(stored.record));
    const Definition* definition = set.definition(stored.record.definition);
    if (definition != nullptr && chosen.takes(*definition)) near.push_back(all.back());
  }
  return near.empty() || !all_known(words, near) ? all : near;
}

// Lengths to choose from: "batch=1, batch=16".
std::string known_lengths(const std::vector<const Workload*>& workloads) {
  std::vector<std::string> all;
  for (const Workload* const workload : workloads) {
    for (const auto& [name, length] : workload->axes)
      all.push_back(fmt::format("{}={}", name, length));
  }
  return known_hint(each_once(std::move(all)), "length");
}

// The uuids of the workloads that words such as batch=4 stand for, in the place of these.
std::vector<std::string> with_uuids(const std::vector<std::string>& words,
                                    const std::vector<Stored<Trace>>& workloads,
                                    const TraceSet& set, const ChosenRecords& chosen,
                                    Diagnostics& out) {
  std::vector<const Workload*> near;
  for (const auto& stored : workloads) {
    const Definition* const definition = set.definition(stored.record.definition);
    if (definition != nullptr && chosen.takes(*definition)) near.push_back(&stored.record.workload);
  }
  std::vector<std::string> uuids;
  for (const std::string& word : words) {
    if (!is_lengths(word)) {
      uuids.push_back(word);
      continue;
    }
    const std::size_t before = uuids.size();
    for (const Workload* const workload : near)
      if (has_lengths(*workload, word)) uuids.push_back(workload->uuid);
    if (uuids.size() == before)
      out.error({}, fmt::format("no workload has {}", word), known_lengths(near));
  }
  return uuids;
}

ChosenRecords choose_all(const TraceSet& set, const std::vector<Stored<Trace>>& workloads,
                         const Selection& selection, Diagnostics& out) {
  std::vector<std::string> op_types;
  std::vector<std::string> tags;
  for (const auto& stored : set.definitions) {
    op_types.push_back(stored.record.op_type);
    tags.insert(tags.end(), stored.record.tags.begin(), stored.record.tags.end());
  }
  ChosenRecords chosen;
  chosen.definitions =
      choose(without_broken(selection.definitions, set.broken_definitions, "definition", out),
             names_of(set.definitions), "definition", out, selection.definitions_said);
  chosen.op_types = choose(selection.op_types, each_once(std::move(op_types)), "op type", out);
  chosen.tags = choose(selection.tags, each_once(std::move(tags)), "tag", out);
  const std::vector<std::string> uuids =
      with_uuids(selection.workloads, workloads, set, chosen, out);
  chosen.workloads =
      choose(uuids,
             each_once(names_among(workloads, set, chosen, uuids,
                                   [](const Trace& trace) { return trace.workload.uuid; })),
             "workload", out);
  chosen.solutions =
      choose(without_broken(selection.solutions, set.broken_solutions, "solution", out),
             names_among(set.solutions, set, chosen, selection.solutions,
                         [](const Solution& solution) { return solution.name; }),
             "solution", out, selection.solutions_said);
  return chosen;
}

template <class Record>
Place place_of(const Stored<Record>& stored) {
  return Place(stored.path, stored.line);
}

// Records whose definition the trace set does not have: said once for each.
class Dangling {
 public:
  void add(const Stored<Trace>& workload) {
    add(workload.record.definition).workloads.push_back(&workload);
  }
  void add(const Stored<Solution>& solution) {
    add(solution.record.definition).solutions.push_back(&solution);
  }

  // `are_named`: somebody waits for a verdict of these very solutions.
  void report(const TraceSet& set, bool are_named, Diagnostics& out) const {
    const std::vector<std::string> known = names_of(set.definitions);
    for (const auto& [name, records] : by_definition_) {
      const auto& broken = set.broken_definitions;
      if (std::find(broken.begin(), broken.end(), name) != broken.end()) {
        out.warning({}, fmt::format("definition \"{}\" cannot be read: its {} not judged", name,
                                    records.counts()));
        continue;
      }
      const bool only_solutions = records.workloads.empty();
      const Place place = only_solutions ? place_of(*records.solutions.front())
                                         : place_of(*records.workloads.front());
      out.add({only_solutions && !are_named ? Level::warning : Level::error,
               place.value("/definition"),
               fmt::format("no definition \"{}\" in {}: {} not judged", name, set.root.string(),
                           records.counts()),
               did_you_mean(name, known)});
    }
  }

 private:
  struct Records {
    std::vector<const Stored<Trace>*> workloads;
    std::vector<const Stored<Solution>*> solutions;

    // "2 workloads and 1 solution"
    std::string counts() const {
      std::vector<std::string> parts;
      if (!workloads.empty()) parts.push_back(counted(workloads.size(), "workload"));
      if (!solutions.empty()) parts.push_back(counted(solutions.size(), "solution"));
      return join(parts, " and ");
    }
  };
  Records& add(const std::string& definition) { return by_definition_[definition]; }

  std::map<std::string, Records> by_definition_;
};

}  // namespace

bool can_be_launched(const Stored<Solution>& stored, const Definition& definition, Diagnostics& out,
                     const ParametersOf& parameters_of) {
  const auto& launch = stored.record.spec.launch;
  if (!launch) return true;
  const std::vector<LaunchProblem> problems = launch_problems(
      *launch, definition, parameters_of ? parameters_of(stored) : std::vector<std::string>{});
  for (const LaunchProblem& one : problems)
    out.error(
        place_of(stored).value("/spec/launch" + one.pointer, one.index),
        fmt::format("solution \"{}\" cannot be launched: {}", stored.record.name, one.message),
        one.hint);
  return problems.empty();
}

namespace {

using ByDefinition = std::unordered_map<std::string_view, std::vector<const Solution*>>;

// The chosen solutions; those without a function to call are reported.
ByDefinition solutions_by_definition(const TraceSet& set, const ChosenRecords& chosen,
                                     Dangling& dangling, Diagnostics& out,
                                     const ParametersOf& parameters_of) {
  ByDefinition solutions;
  for (const auto& stored : set.solutions) {
    const Solution& solution = stored.record;
    if (!selects(chosen.solutions, solution.name)) continue;
    const Definition* definition = set.definition(solution.definition);
    if (definition == nullptr) {
      if (chosen.takes_any_definition()) dangling.add(stored);
      continue;
    }
    if (!chosen.takes(*definition)) continue;
    const std::string problem = entry_problem(solution);
    if (problem.empty()) {
      if (!can_be_launched(stored, *definition, out, parameters_of)) continue;
      solutions[solution.definition].push_back(&solution);
    } else {
      out.error(place_of(stored).value("/spec/entry_point"),
                fmt::format("solution \"{}\" cannot be called: {}", solution.name, problem),
                "it is \"<source file>::<function>\"");
    }
  }
  return solutions;
}

// Reports what is wrong with the constraints of the definitions that take part.
void report_constraints(const TraceSet& set, const std::vector<Job>& jobs, Diagnostics& out) {
  std::set<const Definition*> taken;
  for (const Job& job : jobs) taken.insert(job.definition);
  for (const auto& stored : set.definitions) {
    if (!taken.contains(&stored.record)) continue;
    const Place place = place_of(stored);
    for (ConstraintProblem& problem : constraint_problems(stored.record)) {
      out.warning(place.value(fmt::format("/constraints/{}", problem.constraint), problem.index),
                  std::move(problem.message), std::move(problem.hint));
    }
  }
}

}  // namespace

std::vector<Job> plan_jobs(const TraceSet& set, const std::vector<Stored<Trace>>& workloads,
                           const Selection& selection, Diagnostics& diagnostics,
                           const ParametersOf& parameters_of) {
  const std::size_t before = diagnostics.errors();
  const ChosenRecords chosen = choose_all(set, workloads, selection, diagnostics);
  if (diagnostics.errors() != before) return {};
  Dangling dangling;
  ByDefinition solutions =
      solutions_by_definition(set, chosen, dangling, diagnostics, parameters_of);
  std::vector<Job> jobs;
  for (const Stored<Trace>& stored : workloads) {
    const Trace& trace = stored.record;
    if (!selects(chosen.workloads, trace.workload.uuid)) continue;
    const Definition* definition = set.definition(trace.definition);
    if (definition == nullptr) {
      if (chosen.takes_any_definition() && chosen.solutions.empty()) dangling.add(stored);
      continue;
    }
    if (!chosen.takes(*definition)) continue;
    Job job{definition, &stored, {}};
    for (const Solution* solution : solutions[trace.definition]) {
      if (!trace.solution || *trace.solution == solution->name) job.solutions.push_back(solution);
    }
    if (!job.solutions.empty()) jobs.push_back(std::move(job));
  }
  dangling.report(set, !chosen.solutions.empty(), diagnostics);
  report_constraints(set, jobs, diagnostics);
  return jobs;
}

Remaining without_done(std::vector<Job> jobs, const std::vector<Stored<Trace>>& traces,
                       const Stands& stands) {
  using Pair = std::pair<std::string_view, std::string_view>;  // workload and solution
  std::multimap<Pair, const Evaluation*> records;
  for (const auto& stored : traces) {
    const Trace& trace = stored.record;
    if (trace.solution && trace.evaluation && doubt_about(trace) == Doubt::none)
      records.emplace(Pair(trace.workload.uuid, *trace.solution), &*trace.evaluation);
  }
  Remaining out;
  const auto is_done = [&](const Job& job, const Solution* solution) {
    const auto [begin, end] =
        records.equal_range(Pair(job.workload->record.workload.uuid, solution->name));
    const auto found = std::find_if(
        begin, end, [&](const auto& record) { return stands(*record.second, job, *solution); });
    if (found == end) return false;
    out.done.emplace_back(solution, found->second);
    return true;
  };
  for (Job& job : jobs)
    std::erase_if(job.solutions, [&](const Solution* solution) { return is_done(job, solution); });
  std::erase_if(jobs, [](const Job& job) { return job.solutions.empty(); });
  out.jobs = std::move(jobs);
  return out;
}

std::size_t count_evaluations(const std::vector<Job>& jobs) {
  std::size_t count = 0;
  for (const Job& job : jobs) count += job.solutions.size();
  return count;
}

}  // namespace kbench
