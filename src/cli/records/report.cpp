// kbench report: docs/report.md.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "cli/records/evaluated.hpp"
#include "cli/records/record_choice.hpp"
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
  RecordChoice choice;
  bool all = false;
  bool rates = false;
  std::string format;  // "": by the file's name
  std::string file;
};

// Counts in `from` what is left out.
std::vector<Trace> taken(const std::vector<FoundRecord>& records, const ReportCommand& options,
                         MadeFrom& from) {
  std::vector<const Trace*> all;
  for (const FoundRecord& found : records) all.push_back(&found.stored->record);
  const std::vector<const Trace*> traces = options.all ? all : newest_of_each(all);
  const auto failures = [](const std::vector<const Trace*>& of) {
    return static_cast<std::size_t>(
        std::count_if(of.begin(), of.end(), [](const Trace* one) { return !has_passed(*one); }));
  };
  from.older = all.size() - traces.size();
  from.older_failed = failures(all) - failures(traces);
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
  const auto add = [](std::string& to, const char* option, const std::vector<std::string>& words) {
    for (const std::string& word : words) to += option + shell_quote(word);
  };
  const RecordChoice& choice = options.choice;
  add(from.definitions, " -d ", choice.definitions);
  add(from.choice, " -s ", choice.solutions);
  add(from.choice, " -w ", choice.workloads);
  add(from.choice, " --op-type ", choice.op_types);
  add(from.choice, " --tag ", choice.tags);
  if (!choice.since.empty()) from.choice += " --since " + choice.since;
  if (!choice.trust.empty()) from.choice += " --trust " + choice.trust;
  return from;
}

std::string again_line(const Trace& trace, const std::string& root) {
  std::string line = "kbench run";
  if (!root.empty()) line += " --root " + shell_quote(root);
  return line + fmt::format(" -d {} -s {} -w {}", shell_quote(trace.definition),
                            shell_quote(trace.solution.value_or("")),
                            shell_quote(trace.workload.uuid));
}

// Writes the report; false where it cannot be written, which is reported.
bool write_report(const ReportCommand& options, const std::vector<Target>& targets,
                  const std::vector<Trace>& traces, const MadeFrom& from, Diagnostics& reports) {
  const bool is_for_agent = options.file.empty() && is_read_by_agent();
  const std::string& chosen = options.format.empty() && is_for_agent ? "agent" : options.format;
  const Format& format = chosen.empty() ? format_of_file(options.file) : *find_format(chosen);
  const bool is_to_terminal = options.file.empty() || options.file == "-";
  const auto again = [&](const Trace& trace) { return again_line(trace, options.root); };
  const ReportOptions how{is_to_terminal && terminal().colour_out,
                          is_to_terminal ? terminal().width : 0,
                          files_of_solutions(targets),
                          again,
                          from,
                          options.rates};
  const bool is_written = write_output(options.file, format.write(traces, how), reports);
  if (format.name == "github") append_step_summary(github_summary(traces));
  return is_written;
}

int report(ReportCommand options) {
  Diagnostics reports;
  std::vector<Target> targets;
  const auto records = find_evaluated(options.paths, options.root, targets, reports, {true, true});
  const std::size_t before = reports.errors();
  const auto chosen = chosen_records(records, options.choice, reports);
  if (records.empty() ? before > 0 : reports.errors() > before) {
    ReportPrinter().print(reports);
    return exit_input;  // a slip of the pen replaces no report
  }
  MadeFrom from = made_from(options);
  const std::vector<Trace> traces = believed(taken(chosen, options, from), reports);
  const bool is_written = write_report(options, targets, traces, from, reports);
  if (traces.empty() && reports.errors() == 0) {
    tell(records.empty() ? "nothing to report: no evaluated traces, as kbench run writes them\n"
                         : fmt::format("nothing to report: the options choose none of {}\n",
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
  declare_record_choice(line, o.choice);
  declare_trust(line, o.choice);
  line.add_flag("--all", o.all,
                "Every record; else the newest of each workload, solution and machine");
  declare_rates(line, o.rates);
  std::string formats;
  for (const Format& format : kbench::formats())
    formats += fmt::format("{}{} ({})", formats.empty() ? "" : ", ", format.name, format.doc);
  line.add_option(
          "--format", o.format,
          formats +
              "; default: by the end of FILE's name, else agent where an agent reads, else table")
      .one_of(format_names())
      .text("FORMAT");
  line.add_option("-o,--output", o.file, "Write there; default: stdout").text("FILE");
  return [options] { return report(*options); };
}

}  // namespace kbench
