// kbench report: docs/report.md.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "cli/records/evaluated.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "report/format.hpp"
#include "report/github.hpp"
#include "report/results.hpp"
#include "report/trace_grid.hpp"
#include "schema/record_signature.hpp"

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

// The records of a report, as they come; superseded ones are not kept.
class TakenRecords {
 public:
  explicit TakenRecords(bool all) : all_(all) {}

  void take(Trace&& trace) {
    if (left_out_.add(trace)) return;  // a doubted one replaces no older one, either
    const auto place = all_ ? NewestRecords::Place{traces_.size(), true} : newest_.place_of(trace);
    if (place.index == traces_.size()) return traces_.push_back(std::move(trace));
    if (place.is_newest) std::swap(traces_[place.index], trace);
    ++older_;
    older_failed_ += has_passed(trace) ? 0 : 1;
  }

  // Returns what may be believed, and counts in `from` what is left out since it is older.
  std::vector<Trace> finish(MadeFrom& from, Diagnostics& reports) {
    from.older = older_;
    from.older_failed = older_failed_;
    warn_of_doubts(left_out_, reports);
    return std::move(traces_);
  }

 private:
  bool all_;
  NewestRecords newest_;
  std::vector<Trace> traces_;
  LeftOut left_out_;
  std::size_t older_ = 0, older_failed_ = 0;
};

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
  return line +
         fmt::format(" -d {} -s {} -w {}", shell_quote(trace.definition),
                     shell_quote(trace.solution.value_or("")), shell_quote(trace.workload.uuid)) +
         (is_emulated(*trace.evaluation) ? " --emulate" : "");
}

struct ReportedRecords {
  std::size_t found = 0;
  bool is_none_taken = false;
};

// The status of a report that was made, once what is to be said of it is said.
int exit_of_report(const ReportedRecords& records, bool is_written, const Diagnostics& reports) {
  if (records.is_none_taken && reports.errors() == 0) {
    tell(records.found == 0 ? "nothing to report: no evaluated traces, as kbench run writes them\n"
                            : fmt::format("nothing to report: the options choose none of {}\n",
                                          counted(records.found, "record")));
  }
  ReportPrinter().print(reports);
  if (!is_written) return exit_environment;
  if (reports.errors() > 0) return exit_input;
  return records.is_none_taken ? exit_undecided : exit_good;
}

const Format& format_of(const ReportCommand& options) {
  if (!options.format.empty()) return *find_format(options.format);
  const bool is_for_agent = options.file.empty() && is_read_by_agent();
  return is_for_agent ? *find_format("agent") : format_of_file(options.file);
}

// Writes the report; false where it cannot be written, which is reported.
bool write_report(const ReportCommand& options, const std::vector<Target>& targets,
                  const std::vector<Trace>& traces, const MadeFrom& from, Diagnostics& reports) {
  const Format& format = format_of(options);
  const bool is_to_terminal = options.file.empty() || options.file == "-";
  const auto again = [&](const Trace& trace) { return again_line(trace, options.root); };
  const ReportOptions how{is_to_terminal && terminal().colour_out,
                          is_to_terminal ? terminal().width : 0,
                          files_of_solutions(targets),
                          again,
                          from,
                          options.rates};
  const bool is_written =
      write_output(options.file, format.write({.traces = traces}, how), reports);
  if (format.name == "github") append_step_summary(github_summary(traces));
  return is_written;
}

// The rows of the records that count, as they come; their text alone is kept.
class CsvRows {
 public:
  explicit CsvRows(bool all) : all_(all) {}

  void take(const Trace& trace) {
    if (left_out_.add(trace)) return;
    const auto place = all_ ? NewestRecords::Place{rows_.size(), true} : newest_.place_of(trace);
    if (place.index == rows_.size()) rows_.push_back({group_of(trace), ""});
    if (place.is_newest) rows_[place.index].text = csv_row(trace);
  }

  // Gives the header and the rows, those of each definition and machine together, and keeps none.
  // Returns whether there was any.
  bool give(const TakeText& to, Diagnostics& reports) {
    bool is_begun = false;
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const Row& a, const Row& b) { return a.group < b.group; });
    for (Row& row : rows_) {
      if (!std::exchange(is_begun, true)) to(csv_header());
      to(std::exchange(row.text, {}));
    }
    warn_of_doubts(left_out_, reports);
    return is_begun;
  }

 private:
  struct Row {
    std::size_t group;
    std::string text;
  };

  std::size_t group_of(const Trace& trace) {
    const auto& details = trace.evaluation->kbench;
    const std::string machine = details && details->basis ? details->basis->machine : "";
    return groups_
        .try_emplace(
            trace.definition + "\n" + trace.evaluation->environment.hardware + "\n" + machine,
            groups_.size())
        .first->second;
  }

  bool all_;
  NewestRecords newest_;
  LeftOut left_out_;
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> groups_;
};

// Gives the chosen records to `take`, and returns how many there were before the choice. A wrong
// choice, or input that is all wrong, gives nothing: a slip of the pen replaces no report.
std::optional<std::size_t> read_chosen(ReportCommand& options, std::vector<Target>& targets,
                                       Diagnostics& reports,
                                       const std::function<void(Trace&& trace)>& take) {
  std::size_t records = 0;
  const std::size_t before = reports.errors();
  const bool with_samples = format_of(options).shows_samples;
  const bool is_clear =
      for_each_chosen({options.paths, options.root, {true, true, with_samples}}, options.choice,
                      targets, reports, [&](const FoundRecord& found, bool is_chosen) {
                        ++records;
                        if (is_chosen) take(std::move(found.stored->record));
                      });
  if (is_clear && (records > 0 || reports.errors() == before)) return records;
  ReportPrinter().print(reports);
  return std::nullopt;
}

int report_rows(ReportCommand options) {
  Diagnostics reports;
  std::vector<Target> targets;
  CsvRows rows(options.all);
  const auto records =
      read_chosen(options, targets, reports, [&rows](Trace&& trace) { rows.take(trace); });
  if (!records) return exit_input;
  bool is_any = false;
  const bool is_written = write_output(
      options.file, reports, [&](const TakeText& take) { is_any = rows.give(take, reports); });
  return exit_of_report({*records, !is_any}, is_written, reports);
}

int report(ReportCommand options) {
  if (format_of(options).name == "csv") return report_rows(std::move(options));
  Diagnostics reports;
  std::vector<Target> targets;
  TakenRecords taken(options.all);
  const auto records = read_chosen(options, targets, reports,
                                   [&taken](Trace&& trace) { taken.take(std::move(trace)); });
  if (!records) return exit_input;
  MadeFrom from = made_from(options);
  const std::vector<Trace> traces = taken.finish(from, reports);
  const bool is_written = write_report(options, targets, traces, from, reports);
  return exit_of_report({*records, traces.empty()}, is_written, reports);
}

}  // namespace

std::function<int()> declare_report(CommandLine line) {
  auto options = std::make_shared<ReportCommand>();
  ReportCommand& o = *options;
  declare_evaluated(line, o.paths);
  line.add_option("--root DIR", o.root, "The trace set, where no PATH is given");
  declare_record_choice(line, o.choice);
  declare_trust(line, o.choice);
  line.add_flag("--all", o.all,
                "Every record; else the newest of each workload, solution and machine");
  declare_rates(line, o.rates);
  std::string formats;
  for (const Format& format : kbench::formats())
    formats += fmt::format("{}{} ({})", formats.empty() ? "" : ", ", format.name, format.doc);
  line.add_option(
          "--format FORMAT", o.format,
          formats +
              "; default: by the end of FILE's name, else agent where an agent reads, else table")
      .one_of(format_names());
  line.add_option("-o,--output FILE", o.file, "Write there; default: stdout");
  return [options] { return report(*options); };
}

}  // namespace kbench
