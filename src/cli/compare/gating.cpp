#include "cli/compare/gating.hpp"

#include <fmt/format.h>

#include <system_error>

#include "base/file.hpp"
#include "cli/compare/base.hpp"
#include "cli/compare/stored_runs.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/github.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/report_printer.hpp"
#include "cli/shell/terminal.hpp"
#include "report/github.hpp"

namespace kbench {
namespace {

std::optional<GatePolicy> read_policy(const std::string& file, Diagnostics& reports) {
  try {
    return read_gate_policy({file, read_file(file)}, reports);
  } catch (const std::system_error& error) {
    reports.error({file, 0, 0, "", ""}, fmt::format("cannot be read: {}", error.code().message()));
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
  const std::string& format = output.format;
  if (!format.empty())
    print(write_gate(report, format, output.all,
                     {terminal().colour_out, terminal().width, output.file_of}));
  if (format == "github") append_step_summary(github_summary(report));
  if (format != "table" && format != "markdown") tell(gate_sentence(report) + "\n");
  Diagnostics reports;
  if (!output.junit_file.empty() &&
      !write_output(output.junit_file, write_gate(report, "junit", true, {}), reports)) {
    ReportPrinter().print(reports);
    return exit_environment;
  }
  return report.count(Consequence::fail) > 0 ? exit_negative : exit_good;
}

}  // namespace kbench
