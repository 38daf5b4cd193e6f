// kbench report: docs/report.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/evaluated.hpp"
#include "cli/github.hpp"
#include "cli/output.hpp"
#include "cli/running.hpp"
#include "cli/terminal.hpp"
#include "report/format.hpp"
#include "report/github.hpp"
#include "report/results.hpp"

namespace kbench {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string root;
  std::vector<std::string> definitions, solutions;
  bool all = false;
  std::string format = "table";
  std::string file;
};

bool is_chosen(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Trace> chosen(const std::vector<FoundRecord>& records, const Options& options) {
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

int report(const Options& options) {
  Diagnostics reports;
  std::vector<Target> targets;
  const auto records = find_evaluated(options.paths, options.root, targets, reports, true);
  const std::vector<Trace> traces = chosen(records, options);
  if (records.empty() && reports.errors() > 0) {  // a slip of the pen replaces no report
    ReportPrinter().print(reports);
    return exit_input;
  }
  const bool is_to_terminal = options.file.empty() || options.file == "-";
  const ReportOptions how{is_to_terminal && terminal().colour_out, terminal().width,
                          files_of_solutions(targets)};
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

std::function<int()> declare_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  declare_evaluated(app, o.paths);
  app.add_option("--root", o.root, "The trace set, where no PATH is given")->option_text("DIR");
  app.add_option("-d,--definition", o.definitions, "Of these definitions alone")
      ->option_text("NAME...");
  app.add_option("-s,--solution", o.solutions, "Of these solutions alone")->option_text("NAME...");
  app.add_flag("--all", o.all,
               "Every record; else the newest of each workload, solution and machine");
  std::string formats;
  for (const Format& format : kbench::formats())
    formats += fmt::format("{}{} ({})", formats.empty() ? "" : ", ", format.name, format.doc);
  app.add_option("--format", o.format, formats)
      ->check(CLI::IsMember(format_names()))
      ->option_text("FORMAT");
  app.add_option("-o,--output", o.file, "Write there; default: stdout")->option_text("FILE");
  return [options] { return report(*options); };
}

}  // namespace kbench
