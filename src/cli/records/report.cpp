// kbench report: docs/report.md.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "cli/records/evaluated.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/github.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/report_printer.hpp"
#include "cli/shell/terminal.hpp"
#include "report/format.hpp"
#include "report/github.hpp"
#include "report/results.hpp"
#include "schema/record_origin.hpp"

namespace kbench {
namespace {

struct ReportCommand {
  std::vector<std::string> paths;
  std::string root;
  std::vector<std::string> definitions, solutions;
  bool all = false;
  bool rates = false;
  std::string format = "table";
  std::string file;
};

bool is_chosen(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// The words of the command line as names in full; false where one of them is none, which is
// reported.
bool complete(ReportCommand& options, const std::vector<FoundRecord>& records,
              Diagnostics& reports) {
  const std::size_t before = reports.errors();
  options.definitions =
      names_meant(options.definitions, definitions_of(records), "definition", reports);
  options.solutions = names_meant(options.solutions, solutions_of(records), "solution", reports);
  return reports.errors() == before;
}

std::vector<Trace> chosen(const std::vector<FoundRecord>& records, const ReportCommand& options) {
  std::vector<const Trace*> traces;
  for (const FoundRecord& found : records) {
    const Trace& trace = found.stored->record;
    if (is_chosen(options.definitions, trace.definition) &&
        is_chosen(options.solutions, *trace.solution))
      traces.push_back(&trace);
  }
  if (!options.all) traces = newest_of_each(traces);
  std::vector<Trace> out;
  out.reserve(traces.size());
  for (const Trace* trace : traces) out.push_back(*trace);
  return out;
}

// A record that nobody may believe stands in no report.
std::vector<Trace> believed(std::vector<Trace> traces, Diagnostics& reports) {
  LeftOut left_out;
  std::vector<Trace> out;
  for (Trace& trace : traces) {
    const Doubt doubt = doubt_about(trace);
    if (doubt == Doubt::none) out.push_back(std::move(trace));
    left_out.edited += doubt == Doubt::edited ? 1 : 0;
    left_out.not_signed += doubt == Doubt::not_signed ? 1 : 0;
  }
  warn_of_doubts(left_out, reports);
  return out;
}

MadeFrom made_from(const ReportCommand& options) {
  MadeFrom from;
  for (const std::string& path : options.paths) from.places += " " + shell_quote(path);
  if (!options.root.empty()) from.places += " --root " + shell_quote(options.root);
  if (options.all) from.choice += " --all";
  for (const std::string& name : options.definitions)
    from.definitions += " -d " + shell_quote(name);
  for (const std::string& name : options.solutions) from.choice += " -s " + shell_quote(name);
  return from;
}

int report(ReportCommand options) {
  Diagnostics reports;
  std::vector<Target> targets;
  const auto records = find_evaluated(options.paths, options.root, targets, reports, true);
  if (records.empty() ? reports.errors() > 0 : !complete(options, records, reports)) {
    ReportPrinter().print(reports);
    return exit_input;  // a slip of the pen replaces no report
  }
  const std::vector<Trace> traces = believed(chosen(records, options), reports);
  const bool is_to_terminal = options.file.empty() || options.file == "-";
  const ReportOptions how{is_to_terminal && terminal().colour_out, terminal().width,
                          files_of_solutions(targets), made_from(options), options.rates};
  const bool is_written =
      write_output(options.file, find_format(options.format)->write(traces, how), reports);
  if (options.format == "github") append_step_summary(github_summary(traces));
  if (traces.empty() && reports.errors() == 0) {
    tell(records.empty() ? "nothing to report: no evaluated traces, as kbench run writes them\n"
                         : fmt::format("nothing to report: none of {} is of what was chosen\n",
                                       counted(records.size(), "record")));
  }
  ReportPrinter().print(reports);
  if (!is_written) return exit_environment;
  if (reports.errors() > 0) return exit_input;
  return traces.empty() ? exit_undecided : exit_good;
}

}  // namespace

std::function<int()> declare_report(CommandLine line) {
  auto options = std::make_shared<ReportCommand>();
  ReportCommand& o = *options;
  declare_evaluated(line, o.paths);
  line.add_option("--root", o.root, "The trace set, where no PATH is given").text("DIR");
  line.add_option("-d,--definition", o.definitions, "Of these definitions alone").text("NAME...");
  line.add_option("-s,--solution", o.solutions, "Of these solutions alone").text("NAME...");
  line.add_flag("--all", o.all,
                "Every record; else the newest of each workload, solution and machine");
  declare_rates(line, o.rates);
  std::string formats;
  for (const Format& format : kbench::formats())
    formats += fmt::format("{}{} ({})", formats.empty() ? "" : ", ", format.name, format.doc);
  line.add_option("--format", o.format, formats).one_of(format_names()).text("FORMAT");
  line.add_option("-o,--output", o.file, "Write there; default: stdout").text("FILE");
  return [options] { return report(*options); };
}

}  // namespace kbench
