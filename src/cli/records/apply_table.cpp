// kbench apply-table: docs/apply-table.md.
#include "cli/records/apply_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/records/evaluated.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "report/apply_table.hpp"
#include "schema/solution.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool is_of_flashinfer(const Definition& definition) {
  const auto& tags = definition.tags;
  return std::any_of(tags.begin(), tags.end(),
                     [](const std::string& tag) { return tag.starts_with("fi_api:"); });
}

std::string as_folder(const std::string& name) { return replace_all(name, "/", "_"); }

// Writes it whole: an absent member means one thing to FlashInfer-Bench and another to some of
// FlashInfer's versions, destination_passing_style for one.
template <class Record>
void write_record(const fs::path& folder, const Record& record) {
  write_file(folder / (as_folder(record.name) + ".json"), to_json(record, Dump::full, 2) + "\n");
}

}  // namespace

std::string not_applicable(const Solution& solution) {
  const BuildSpec& spec = solution.spec;
  if (spec.launch) return "a kernel by itself";
  if (spec.binding == Binding::torch) return "of binding torch";
  if (spec.language == Language::cpp) return "in C++, for the CPU";
  return "";
}

void write_trace_apply(const fs::path& folder, const TraceSet& set,
                       const std::map<std::string, std::string>& chosen, Diagnostics& reports) {
  confine(folder);
  if (fs::exists(folder / "solutions")) {
    reports.error({folder.string()}, "it has solutions already, which would be applied, too",
                  "give a folder that is not there yet");
    return;
  }
  for (const auto& [name, solution] : chosen) {
    const Definition& definition = *set.definition(name);
    if (!is_of_flashinfer(definition))
      reports.warning({}, fmt::format("{} has no tag fi_api:…: Trace Apply never calls it", name));
    write_record(folder / "definitions" / as_folder(definition.op_type), definition);
    write_record(folder / "solutions" / as_folder(definition.op_type) / as_folder(name),
                 *set.solution(solution));
  }
}

namespace {

struct ApplyTableOptions {
  std::vector<std::string> paths;
  std::string root, file, trace_apply;
  RecordChoice choice;
  ResultFilter filter;
};

// "<hardware> (<machine>)" of all that the results are of.
std::set<std::string> machines_of(const std::vector<Result>& results) {
  std::set<std::string> machines;
  for (const Result& result : results)
    machines.insert(result.machine.empty()
                        ? std::string(result.hardware)
                        : fmt::format("{} ({})", result.hardware, result.machine));
  return machines;
}

void tell_regret(const ApplyTable& table) {
  for (const auto& [name, definition] : table) {
    const std::size_t count = definition.entries.size();
    std::string text =
        fmt::format("{}: {} {}", printable(name), count, count == 1 ? "entry" : "entries");
    if (!definition.unserved.empty())
      text += fmt::format("; at {} of axis values no solution passed, and none is to be called",
                          counted(definition.unserved.size(), "set"));
    if (const auto& regret = definition.regret) {
      text += fmt::format("; by the nearest other one {:.1f} % longer, at worst {:.1f} %",
                          100 * regret->mean, 100 * regret->worst);
      if (regret->failed > 0)
        text += fmt::format("; {} of {} would not have passed, or are not known", regret->failed,
                            regret->held_out);
    }
    tell(text + "\n");
  }
}

// Writes the folder for Trace Apply of the records' trace set. False where nothing is to be
// written.
bool write_trace_apply_of(const std::filesystem::path& folder, const ApplyTable& table,
                          const std::vector<Result>& results, const TraceSet& set,
                          Diagnostics& reports) {
  const auto chosen = one_solution_each(results, [&set](const std::string& name) {
    const Solution* const solution = set.solution(name);
    return solution != nullptr && set.definition(solution->definition) != nullptr &&
           not_applicable(*solution).empty();
  });
  for (const auto& [name, definition] : table) {
    if (chosen.contains(name)) continue;
    const std::string& quickest = definition.entries.front().solution;
    const Solution* const solution = set.solution(quickest);
    const std::string why =
        solution == nullptr ? "not in the trace set" : not_applicable(*solution);
    reports.warning({}, fmt::format("{} is left out: no solution that Trace Apply loads passed "
                                    "everywhere{}",
                                    name, why.empty() ? "" : "; " + quickest + " is " + why));
  }
  write_trace_apply(folder, set, chosen, reports);
  return !chosen.empty();
}

// Records of solutions that can be called: nobody could call the references, which kbench makes.
std::vector<const Trace*> callable(const std::vector<FoundRecord>& records) {
  std::vector<const Trace*> traces;
  for (const FoundRecord& found : records)
    if (!is_of_reference(*found.stored->record.solution)) traces.push_back(&found.stored->record);
  return traces;
}

int apply_table_of(ApplyTableOptions options) {
  Diagnostics reports;
  std::vector<Target> targets;
  const auto records =
      find_evaluated({options.paths, options.root, {.without_set = true, .marks_outdated = true}},
                     targets, reports);
  const Results found =
      select_results(callable(chosen_records(records, options.choice, reports)), options.filter);
  const auto machines = machines_of(found.results);
  if (machines.size() > 1)
    reports.error(
        {},
        fmt::format("the records are of {} machines: {}", machines.size(),
                    join(std::vector<std::string>(machines.begin(), machines.end()), ", ")),
        "--hardware NAME takes those of one; a table is of one machine");
  const ApplyTable table = machines.size() > 1 ? ApplyTable{} : apply_table(found.results);
  bool is_written = true;
  bool any = !table.empty();
  if (!table.empty() && !options.trace_apply.empty()) {
    any = write_trace_apply_of(options.trace_apply, table, found.results, targets.front().set,
                               reports);
  } else if (!table.empty()) {
    is_written = write_output(options.file,
                              write_apply_table(table, std::string(found.results.front().hardware)),
                              reports);
    tell_regret(table);
  } else if (reports.errors() == 0) {
    tell("nothing to choose from: no solution has passed, or none of what was chosen\n");
  }
  if (found.left_out.non_discriminating > 0)
    reports.warning({},
                    fmt::format("{} left out: of workloads that cannot tell right from wrong",
                                counted(found.left_out.non_discriminating, "record")),
                    "--non-discriminating counts them");
  warn_of_doubts(found.left_out, reports);
  ReportPrinter().print(reports);
  if (!is_written) return exit_environment;
  if (reports.errors() > 0) return exit_input;
  return any ? exit_good : exit_undecided;
}

}  // namespace

std::function<int()> declare_apply_table(CommandLine line) {
  auto options = std::make_shared<ApplyTableOptions>();
  ApplyTableOptions& o = *options;
  declare_evaluated(line, o.paths);
  line.add_option("--root DIR", o.root, "The trace set, where no PATH is given");
  declare_record_choice(line, o.choice);
  declare_trust(line, o.choice);
  line.add_option("--hardware NAME", o.filter.hardware, "Of machines whose name begins so");
  line.add_option("--rule RULE", o.filter.rule, "Judged by this rule alone; default: any");
  line.add_flag("--non-discriminating", o.filter.non_discriminating,
                "Choose by workloads that cannot tell right from wrong, too");
  line.add_option("-o,--output FILE", o.file, "Write there; default: stdout");
  line.add_option("--trace-apply DIR", o.trace_apply,
                  "Write no table, but a folder for FlashInfer's Trace Apply: definitions, and one "
                  "solution of each")
      .excludes("-o");
  o.filter.plain = true;
  o.filter.by_configuration = true;
  return [options] { return apply_table_of(*options); };
}

}  // namespace kbench
