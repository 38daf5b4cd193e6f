// kbench gate: docs/gate.md.
#include "cli/compare/gate.hpp"

#include <fmt/format.h>

#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/compare/base.hpp"
#include "cli/compare/sides.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "report/github.hpp"
#include "schema/record_signature.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

std::optional<GatePolicy> read_policy(const std::string& file, Diagnostics& reports) {
  try {
    return read_gate_policy({file, read_file(file)}, reports);
  } catch (const std::system_error& error) {
    reports.error({file}, fmt::format("cannot be read: {}", error.code().message()));
    return std::nullopt;
  }
}

}  // namespace

std::optional<Gate> open_gate(const GateOptions& options, Diagnostics& reports) {
  Gate gate;
  if (!options.policy_file.empty()) {
    const auto policy = read_policy(options.policy_file, reports);
    if (!policy) return std::nullopt;
    gate.policy = *policy;
  }
  if (!options.base.empty() && !(gate.base = load_base(options.base, reports))) return std::nullopt;
  if (options.against.empty()) return gate;
  gate.before = read_run(options.against, reports);
  return gate.before ? std::optional(std::move(gate)) : std::nullopt;
}

int pass_gate(const GateReport& report, const GateOutput& output) {
  const Format* const format = find_format(output.format);
  const bool is_for_people = format != nullptr && format->is_for_people;
  if (format != nullptr)
    print_document(gate_document(report, output.all || !is_for_people, output.file_of),
                   output.format);
  if (output.format == "github") append_step_summary(github_summary(report));
  if (!is_for_people) tell(gate_sentence(report) + "\n");
  Diagnostics reports;
  if (!output.junit_file.empty() &&
      !write_output(output.junit_file, write_junit(gate_document(report, true), {}), reports)) {
    ReportPrinter().print(reports);
    return exit_environment;
  }
  return report.count(Consequence::fail) > 0 ? exit_negative : exit_good;
}

namespace {

struct GateCommand {
  std::string traces = ".";
  std::string root;
  GateOptions gate;
  std::string margin, error;  // "": the policy's
  bool across_machines = false;
  bool all = false;
  std::string format = "table";
};

// The trace set of the records, for what has changed since and for annotations at the solutions'
// files: the named one, that of the records, or the one here.
std::vector<Target> with_solutions(const GateCommand& options, Diagnostics& reports) {
  std::string root = options.root;  // loading says so where it is named and not there
  for (const std::string& other : {options.traces, std::string(".")})
    if (root.empty() && is_trace_set(other)) root = other;
  if (root.empty()) return {};
  return {Target{load_trace_set(root, {true, false}, reports), {}}};
}

SignatureCount signatures_of(const RunRecords& run) {
  SignatureCount count;
  for (const auto& [workload, by_solution] : run)
    for (const auto& [solution, stored] : by_solution) count.note(stored.record);
  return count;
}

int gate(const GateCommand& options) {
  Diagnostics reports, of_gate;
  auto opened =  // parallel to the other: both may be large
      std::async(std::launch::async, [&] { return open_gate(options.gate, of_gate); });
  // The end of the process gives back at once what takes a tenth of the time record by record.
  const std::vector<Target> targets = with_solutions(options, reports);
  const bool has_set = reports.errors() == 0;  // else nobody knows what has changed
  static const auto* const run = new std::optional<RunRecords>(
      read_run(options.traces, reports, targets.empty() ? nullptr : &targets.front().set));
  static auto* const held = new std::optional<Gate>(opened.get());
  std::optional<Gate>& gate = *held;
  reports.append(of_gate);
  ReportPrinter().print(reports);
  if (!has_set || !*run || !gate) return exit_input;
  GatePolicy& policy = gate->policy;
  if (!options.margin.empty()) policy.margin = *parse_share(options.margin);
  if (!options.error.empty()) policy.error = *parse_share(options.error);
  policy.across_machines |= options.across_machines;
  if (const std::string remark = signatures_of(**run).remark(); !remark.empty())
    tell(remark + "\n");
  GateReport report = judge_run(**run, gate->before ? &*gate->before : nullptr, policy);
  for (const Diagnostic& one : reports.items())
    if (one.level == Level::error) report.problems.push_back(one);
  const int status = pass_gate(
      report, {options.format, options.all, options.gate.junit_file, files_of_solutions(targets)});
  return reports.errors() > 0 ? exit_input : status;
}

}  // namespace

std::function<int()> declare_gate(CommandLine line) {
  auto options = std::make_shared<GateCommand>();
  GateCommand& o = *options;
  line.add_option("traces [TRACES]", o.traces,
                  "What was judged: a file of traces, a trace set, or what kbench run --out wrote; "
                  "default: here");
  line.add_option("--root DIR", o.root,
                  "The trace set of the records: one of what has changed there does not count; "
                  "default: that of TRACES, or the one here");
  declare_gate_options(line, o.gate);
  line.add_option("--margin X", o.margin,
                  "Times that differ by less than this are the same; default 3%")
      .check(share());
  line.add_option("--error X", o.error,
                  "Probability that any answer is wrong, over all that is compared; default 1%")
      .check(share());
  line.add_flag("--across-machines", o.across_machines, "Compare the times of two machines, too");
  line.add_flag("--all", o.all, "List what passes, too");
  declare_format(line, o.format, Needs::findings);
  return [options] { return gate(*options); };
}

}  // namespace kbench
