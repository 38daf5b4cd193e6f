// kbench list: the contents of a trace set.

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/records/evaluated.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "report/results.hpp"
#include "report/wording.hpp"
#include "schema/names.hpp"
#include "schema/targets.hpp"
#include "schema/trace_set.hpp"

namespace kbench {
namespace {

struct ListOptions {
  std::string root;
  std::vector<std::string> definitions, op_types, tags;
  std::string what = "definitions";
  std::string format = "table";
};

// The keys are the titles.
Grid grid_of(const std::vector<std::string>& keys) {
  Grid grid;
  for (const std::string& key : keys) grid.columns.push_back({key});
  return grid;
}

Grid list_definitions(const TraceSet& set) {
  struct Counts {
    int workloads = 0, solutions = 0, traces = 0, passed = 0;
  };
  std::map<std::string_view, Counts> counts;
  for (const auto& stored : set.workloads) ++counts[stored.record.definition].workloads;
  for (const auto& stored : set.solutions) ++counts[stored.record.definition].solutions;
  for (const auto& stored : set.traces) {
    Counts& of = counts[stored.record.definition];
    ++of.traces;
    of.passed += stored.record.evaluation && stored.record.evaluation->status == Status::passed;
  }
  Grid table = grid_of({"definition", "op_type", "workloads", "solutions", "traces", "passed"});
  for (const auto& [definition, path, line] : set.definitions) {
    const Counts& of = counts[definition.name];
    table.rows.push_back({{definition.name},
                          {definition.op_type},
                          {of.workloads},
                          {of.solutions},
                          {of.traces},
                          {of.passed}});
  }
  return table;
}

Grid list_solutions(const TraceSet& set) {
  Grid table = grid_of({"solution", "definition", "author", "language"});
  for (const auto& [solution, path, line] : set.solutions) {
    table.rows.push_back({{solution.name},
                          {solution.definition},
                          {solution.author},
                          {std::string(name_of(solution.spec.language))}});
  }
  return table;
}

Grid list_workloads(const TraceSet& set) {
  Grid table = grid_of({"workload", "definition", "axes"});
  for (const auto& [trace, path, line] : set.workloads) {
    const Workload& workload = trace.workload;
    table.rows.push_back({{workload.uuid},
                          {trace.definition},
                          {workload.axes.empty() ? "" : workload_text(workload)}});
  }
  return table;
}

Grid list_traces(const TraceSet& set) {
  Grid table = grid_of({"solution", "definition", "workload", "status", "latency_ms", "speedup"});
  for (const auto& [trace, path, line] : set.traces) {
    if (!trace.evaluation) continue;
    const auto& performance = trace.evaluation->performance;
    GridCell latency, speedup;
    if (performance) {
      latency.value = performance->latency_ms;
    }
    if (const auto known = recorded_speedup(*trace.evaluation)) speedup.value = known->value;
    table.rows.push_back({{trace.solution.value_or("")},
                          {trace.definition},
                          {trace.workload.uuid},
                          {std::string(status_name(trace.evaluation->status))},
                          latency,
                          speedup});
  }
  return table;
}

bool is_wanted(const std::vector<std::string>& words, const std::string& word) {
  return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
}

// The names that words stand for; words that stand for nothing are reported.
std::vector<std::string> named(const std::vector<std::string>& words, std::vector<std::string> all,
                               std::string_view noun, Diagnostics& problems) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<std::string> names;
  for (const std::string& word : words) {
    NameMatch why;
    const auto found = match_names(word, all, noun, why);
    names.insert(names.end(), found.begin(), found.end());
    if (found.empty()) problems.error({}, why.message, why.hint);
  }
  return names;
}

// Leaves the chosen definitions, and what belongs to them; false where a word stands for none.
bool narrow(TraceSet& set, const ListOptions& options, Diagnostics& problems) {
  const std::size_t before = problems.errors();
  std::vector<std::string> names, op_types, tags;
  for (const auto& stored : set.definitions) {
    names.push_back(stored.record.name);
    op_types.push_back(stored.record.op_type);
    tags.insert(tags.end(), stored.record.tags.begin(), stored.record.tags.end());
  }
  const auto definitions = named(options.definitions, std::move(names), "definition", problems);
  const auto kinds = named(options.op_types, std::move(op_types), "op type", problems);
  const auto wanted = named(options.tags, std::move(tags), "tag", problems);
  if (problems.errors() > before) return false;
  if (definitions.empty() && kinds.empty() && wanted.empty()) return true;
  std::set<std::string> kept;
  for (const auto& stored : set.definitions) {
    const Definition& one = stored.record;
    const bool is_tagged = wanted.empty() || std::any_of(one.tags.begin(), one.tags.end(),
                                                         [&](const std::string& tag) {
                                                           return is_wanted(wanted, tag);
                                                         });
    if (is_wanted(definitions, one.name) && is_wanted(kinds, one.op_type) && is_tagged)
      kept.insert(one.name);
  }
  std::erase_if(set.definitions, [&](const auto& one) { return !kept.contains(one.record.name); });
  const auto is_of_another = [&](const auto& one) { return !kept.contains(one.record.definition); };
  std::erase_if(set.solutions, is_of_another);
  std::erase_if(set.workloads, is_of_another);
  std::erase_if(set.traces, is_of_another);
  return true;
}

struct Listing {
  std::string_view name;
  Grid (*list)(const TraceSet& set);
};

constexpr Listing listings[] = {{"definitions", &list_definitions},
                                {"solutions", &list_solutions},
                                {"workloads", &list_workloads},
                                {"traces", &list_traces}};

int list_records(const ListOptions& options) {
  const auto root = find_root(options.root);
  if (!root) {
    say_error("kbench list", "no trace set", "run in one, say --root DIR, or set FIB_DATASET_PATH");
    return exit_input;
  }
  Diagnostics problems;
  // The set is never freed: a tenth of the time of a large one would go there, just before the end.
  static TraceSet& set =
      *new TraceSet(load_trace_set(*root, {true, true, 0, false, false}, problems));
  const bool is_clear = narrow(set, options, problems);
  LeftOut left_out;
  std::erase_if(set.traces, [&](const auto& stored) { return left_out.add(stored.record); });
  if (is_clear) {
    const auto listing = std::find_if(std::begin(listings), std::end(listings),
                                      [&](const Listing& one) { return one.name == options.what; });
    print_document({.grids = {listing->list(set)}}, options.format);
  }
  for (const Diagnostic& problem : problems.items())
    if (problem.level == Level::error) say(problem);
  Diagnostics doubts;
  warn_of_doubts(left_out, doubts);
  for (const Diagnostic& doubt : doubts.items()) say(doubt);
  return problems.errors() > 0 ? exit_input : exit_good;
}

}  // namespace

std::function<int()> declare_list(CommandLine line) {
  auto options = std::make_shared<ListOptions>();
  line.add_option("what [WHAT]", options->what,
                  "definitions (default), solutions, workloads or traces")
      .one_of({"definitions", "solutions", "workloads", "traces"});
  line.add_option("--root DIR", options->root, "The trace set; default: the current one");
  line.add_option("-d,--definition NAME...", options->definitions,
                  "Only these definitions: names, unique beginnings, or patterns with * and ?");
  line.add_option("--op-type TYPE...", options->op_types, "Only definitions of these op types");
  line.add_option("--tag TAG...", options->tags, "Only definitions with one of these tags");
  declare_format(line, options->format);
  return [options] { return list_records(*options); };
}

}  // namespace kbench
