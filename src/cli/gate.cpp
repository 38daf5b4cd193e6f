// kbench gate: docs/gate.md.
#include "report/gate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/github.hpp"
#include "cli/running.hpp"
#include "cli/stored_runs.hpp"
#include "cli/terminal.hpp"
#include "cli/values.hpp"
#include "report/github.hpp"

namespace kbench {
namespace {

struct Options {
  std::string traces = ".";
  std::string against, policy_file;
  std::string margin, error;  // "": the policy's
  bool across_machines = false;
  bool all = false;
  std::string format = "table";
};

// Nothing where the file is none, which is reported.
std::optional<GatePolicy> policy_of(const Options& options, Diagnostics& reports) {
  GatePolicy policy;
  if (!options.policy_file.empty()) {
    try {
      const auto read =
          read_gate_policy({options.policy_file, read_file(options.policy_file)}, reports);
      if (!read) return std::nullopt;
      policy = *read;
    } catch (const std::system_error& error) {
      reports.error({options.policy_file, 0, 0, "", ""},
                    fmt::format("cannot be read: {}", error.code().message()));
      return std::nullopt;
    }
  }
  if (!options.margin.empty()) policy.margin = *parse_share(options.margin);
  if (!options.error.empty()) policy.error = *parse_share(options.error);
  policy.across_machines |= options.across_machines;
  return policy;
}

// Nothing where it is not there, which is reported.
std::optional<RunRecords> records_of(const std::string& path, Diagnostics& reports) {
  if (!std::filesystem::exists(path)) {
    reports.error({path, 0, 0, "", ""}, "no such file or folder",
                  "a file of traces, a trace set, or what kbench run --out wrote");
    return std::nullopt;
  }
  return read_run(path, reports);
}

int gate_of(const Options& options) {
  Diagnostics reports;
  const auto policy = policy_of(options, reports);
  const auto after = records_of(options.traces, reports);
  std::optional<RunRecords> before;
  if (!options.against.empty()) before = records_of(options.against, reports);
  ReportPrinter().print(reports);
  if (reports.errors() > 0) return exit_input;
  const GateReport report = gate(*after, before ? &*before : nullptr, *policy);
  print(write_gate(report, options.format, options.all,
                   {terminal().colour_out, terminal().width}));
  if (options.format == "github") append_step_summary(github_summary(report));
  if (options.format != "table" && options.format != "markdown")
    tell(gate_sentence(report) + "\n");
  return report.count(Consequence::fail) > 0 ? exit_negative : exit_good;
}

}  // namespace

std::function<int()> declare_gate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  app.add_option("traces", o.traces,
                 "What was judged: a file of traces, a trace set, or what kbench run --out wrote; "
                 "default: here")
      ->option_text("[TRACES]");
  app.add_option("--against", o.against,
                 "An earlier run: what is slower than there, or missing, is found")
      ->option_text("BASELINE");
  app.add_option("--policy", o.policy_file, "What stops, and what is only warned of: YAML or JSON")
      ->option_text("FILE");
  app.add_option("--margin", o.margin,
                 "Times that differ by less than this are the same; default 3%")
      ->check(share())
      ->option_text("X");
  app.add_option("--error", o.error,
                 "Probability that any answer is wrong, over all that is compared; default 1%")
      ->check(share())
      ->option_text("X");
  app.add_flag("--across-machines", o.across_machines, "Compare the times of two machines, too");
  app.add_flag("--all", o.all, "List what passes, too");
  app.add_option("--format", o.format, join(gate_format_names(), ", "))
      ->check(CLI::IsMember(gate_format_names()))
      ->option_text("FORMAT");
  return [options] { return gate_of(*options); };
}

}  // namespace kbench
