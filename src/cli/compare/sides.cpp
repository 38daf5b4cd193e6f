#include "cli/compare/sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/words.hpp"
#include "build/builder.hpp"
#include "judge/replay.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "report/results.hpp"
#include "schema/record_signature.hpp"
#include "schema/scan.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

using Solutions = std::vector<const Solution*>;

// Returns the solutions whose definition is there and chosen.
Solutions solutions_in(const TraceSet& set, const std::vector<std::string>& definitions,
                       Diagnostics& out) {
  std::vector<std::string> chosen;
  std::vector<std::string> known;
  for (const auto& stored : set.definitions) known.push_back(stored.record.name);
  for (const std::string& word : definitions) {
    const NameMatch match = match_name(word, known, "definition");
    if (match.name.empty()) out.error({}, match.message, match.hint);
    chosen.push_back(match.name);
  }
  Solutions solutions;
  for (const auto& stored : set.solutions) {
    const std::string& definition = stored.record.definition;
    const bool is_chosen =
        chosen.empty() || std::find(chosen.begin(), chosen.end(), definition) != chosen.end();
    if (is_chosen && set.definition(definition) != nullptr) solutions.push_back(&stored.record);
  }
  return solutions;
}

// The solutions that one word stands for, by definition.
using ByDefinition = std::map<std::string, Solutions>;

// Says that a word is known, but of definitions that were not chosen; "": it is not.
std::string known_elsewhere(const std::string& word, const TraceSet& set) {
  for (const auto& stored : set.solutions) {
    const Solution& solution = stored.record;
    if (solution.name == word || solution.author == word)
      return fmt::format(
          "\"{}\" has none for the definitions that --definition names, but one for {}", word,
          solution.definition);
  }
  return "";
}

// A solution, else an author, else the begin of a solution's name.
std::optional<ByDefinition> find_side(const std::string& word, const Solutions& solutions,
                                      const TraceSet& set, Diagnostics& out) {
  std::vector<std::string> names;
  for (const Solution* solution : solutions) names.push_back(solution->name);
  const NameMatch match = match_name(word, names, "solution");
  ByDefinition by_name, by_author;
  for (const Solution* solution : solutions) {
    if (solution->name == match.name) by_name[solution->definition].push_back(solution);
    if (solution->author == word) by_author[solution->definition].push_back(solution);
  }
  if (match.name != word && !by_author.empty()) return by_author;
  if (!by_name.empty()) return by_name;
  const std::string elsewhere = known_elsewhere(word, set);
  if (!elsewhere.empty()) {
    out.error({}, elsewhere);
  } else if (match.is_unknown) {
    for (const auto& stored : set.solutions) names.push_back(stored.record.author);
    out.error({}, fmt::format("\"{}\" is neither a solution nor an author", word),
              did_you_mean(word, names));
  } else {
    out.error({}, match.message, match.hint);
  }
  return std::nullopt;
}

// The one solution that a side has of a definition: the one that runs here, where others do not.
const Solution* only(const std::string& word, const Solutions& all, Diagnostics& out) {
  Solutions solutions;
  std::copy_if(all.begin(), all.end(), std::back_inserter(solutions), [](const Solution* one) {
    return has_nvidia_gpu() || !is_for_gpu(one->spec.language);
  });
  if (solutions.empty()) solutions = all;
  if (solutions.size() == 1) return solutions.front();
  std::vector<std::string> names;
  for (const Solution* solution : solutions) names.push_back(solution->name);
  out.error({},
            fmt::format("\"{}\" has {} solutions of {}", word, solutions.size(),
                        solutions.front()->definition),
            "name one: " + join(names, ", "));
  return nullptr;
}

void tell_of_several(const Diagnostics& several, Diagnostics& out) {
  if (several.items().empty()) return;
  const Diagnostic& first = several.items().front();
  const std::size_t more = several.items().size() - 1;
  out.warning({},
              first.message + (more > 0 ? fmt::format(", and {} more like it", more) : "") +
                  ": not compared",
              first.hint);
}

}  // namespace

std::vector<Sides> find_sides(const TraceSet& set, const std::string& a, const std::string& b,
                              const std::vector<std::string>& definitions, Diagnostics& out) {
  const std::size_t before = out.errors();
  const Solutions solutions = solutions_in(set, definitions, out);
  if (out.errors() > before) return {};
  const auto of_a = find_side(a, solutions, set, out);
  const auto of_b = find_side(b, solutions, set, out);
  if (out.errors() > before) return {};
  std::vector<Sides> sides;
  Diagnostics several;
  for (const auto& [definition, first] : *of_a) {
    const auto second = of_b->find(definition);
    if (second == of_b->end()) continue;
    const Sides both{only(a, first, several), only(b, second->second, several)};
    if (both.a != nullptr && both.b != nullptr) sides.push_back(both);
  }
  if (!sides.empty()) {
    tell_of_several(several, out);
    return sides;
  }
  out.append(std::move(several));
  if (out.errors() > before) return {};
  out.error(
      {}, fmt::format("\"{}\" and \"{}\" have no definition in common", a, b),
      fmt::format("the first has {}, the second {}", of_a->begin()->first, of_b->begin()->first));
  return {};
}

std::vector<Job> jobs_of(const std::vector<Sides>& sides, std::vector<Job> jobs) {
  std::vector<Job> out;
  for (Job& job : jobs) {
    const auto found = std::find_if(sides.begin(), sides.end(), [&](const Sides& both) {
      return both.a->definition == job.definition->name;
    });
    const auto has = [&](const Solution* solution) {
      return std::find(job.solutions.begin(), job.solutions.end(), solution) != job.solutions.end();
    };
    if (found == sides.end() || !has(found->a) || !has(found->b)) continue;
    job.solutions = {found->a, found->b};
    out.push_back(std::move(job));
  }
  return out;
}

namespace {

void warn_of_alone(const std::string& file, const RunRecords& records, std::size_t paired,
                   Diagnostics& out) {
  std::size_t alone = 0;
  for (const auto& [key, of_workload] : records) alone += of_workload.size();
  alone -= paired;
  if (alone > 0)
    out.warning({file}, fmt::format("{} of it {} no counterpart in the other one",
                                    counted(alone, "record"), alone == 1 ? "has" : "have"));
}

std::vector<Stored<Trace>> read_evaluated(const std::string& path, const TraceSet* set,
                                          Diagnostics& out) {
  std::optional<RecordChecker> checker;
  if (set != nullptr) checker.emplace(*set, &solution_as_run);
  std::vector<Stored<Trace>> evaluated;
  for (const std::string& file : trace_files(path)) {
    read_trace_file(file, out, [&](TraceLine&& line) {
      if (!line.trace.solution || !line.trace.evaluation) return;
      warn_of_contradiction(line.trace, file, line.line, out);
      if (checker) line.trace.is_outdated = checker->is_outdated(line.trace);
      evaluated.push_back({std::move(line.trace), file, line.line});
    });
  }
  return evaluated;
}

// Keeps the newest record of each solution, workload and machine. Keeps of several machines'
// records one that failed or was edited, else the last.
RunRecords newest_in(std::vector<Stored<Trace>> evaluated) {
  std::vector<const Trace*> traces;
  for (const auto& stored : evaluated) traces.push_back(&stored.record);
  const std::vector<const Trace*> kept = newest_of_each(traces);
  const std::unordered_set<const Trace*> newest(kept.begin(), kept.end());
  RunRecords records;
  for (auto& stored : evaluated) {
    const Trace& trace = stored.record;
    if (!newest.contains(&trace)) continue;
    auto& of_workload = records[{trace.definition, trace.workload.uuid}];
    const auto [known, is_new] = of_workload.try_emplace(*trace.solution);
    if (is_new ||
        (has_passed(known->second.record) && doubt_about(known->second.record) == Doubt::none))
      known->second = std::move(stored);
  }
  return records;
}

}  // namespace

std::optional<RunRecords> read_run(const std::string& path, Diagnostics& out, const TraceSet* set) {
  if (!is_there(path)) {
    out.error({path}, "no such file or folder",
              "a file of traces, a trace set, or what kbench run --out wrote");
    return std::nullopt;
  }
  const std::size_t before = out.errors();
  RunRecords records = newest_in(read_evaluated(path, set, out));
  if (!records.empty()) return records;
  if (out.errors() == before)
    out.error({path}, "holds no evaluated traces", "kbench run writes them");
  return std::nullopt;
}

void compare_records(ComparisonReport& report, const RunRecords& old_run, const RunRecords& new_run,
                     bool across_machines, Diagnostics& out) {
  const std::vector<RecordPair> pairs = pairs_of(old_run, new_run);
  report.is_stored = true;
  report.planned = pairs.size();
  const CompareRule of_one = report.rule.of_each(pairs.size());
  for (const RecordPair& pair : pairs) {
    ComparedWorkload row{pair.a->record, pair.b->record, std::nullopt, 0};
    if (has_passed(row.a) && has_passed(row.b)) {
      const Diagnostics found = obstacles(pair, across_machines);
      out.append(found);
      if (found.errors() > 0) continue;
      row.compared = compare_times(pair, of_one);
    }
    report.workloads.push_back(std::move(row));
  }
}

ComparisonReport compare_stored_runs(const std::string& old_file, const std::string& new_file,
                                     const CompareRule& rule, bool across_machines,
                                     Diagnostics& out) {
  ComparisonReport report{old_file, new_file, rule};
  Diagnostics of_new;
  auto reading =  // parallel to the other: both may be large
      std::async(std::launch::async, [&] { return read_run(new_file, of_new); });
  const auto old_run = read_run(old_file, out);
  const auto new_run = reading.get();
  out.append(of_new);
  if (!old_run || !new_run) return report;
  compare_records(report, *old_run, *new_run, across_machines, out);
  warn_of_alone(old_file, *old_run, report.planned, out);
  warn_of_alone(new_file, *new_run, report.planned, out);
  return report;
}

}  // namespace kbench
