// kbench gate: docs/gate.md.
#include <CLI/CLI.hpp>
#include <future>
#include <memory>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/gating.hpp"
#include "cli/running.hpp"
#include "cli/stored_runs.hpp"
#include "cli/values.hpp"

namespace kbench {
namespace {

struct Options {
  std::string traces = ".";
  GateOptions gate;
  std::string margin, error;  // "": the policy's
  bool across_machines = false;
  bool all = false;
  std::string format = "table";
};

int gate(const Options& options) {
  Diagnostics reports, of_gate;
  auto opened =  // beside the other: both may be large
      std::async(std::launch::async, [&] { return open_gate(options.gate, of_gate); });
  const auto run = read_run(options.traces, reports);
  auto gate = opened.get();
  reports.append(of_gate);
  ReportPrinter().print(reports);
  if (reports.errors() > 0) return exit_input;
  GatePolicy& policy = gate->policy;
  if (!options.margin.empty()) policy.margin = *parse_share(options.margin);
  if (!options.error.empty()) policy.error = *parse_share(options.error);
  policy.across_machines |= options.across_machines;
  return pass_gate(*gate, *run, options.format, options.all);
}

}  // namespace

std::function<int()> declare_gate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  Options& o = *options;
  app.add_option("traces", o.traces,
                 "What was judged: a file of traces, a trace set, or what kbench run --out wrote; "
                 "default: here")
      ->option_text("[TRACES]");
  declare_gate_options(app, o.gate);
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
  return [options] { return gate(*options); };
}

}  // namespace kbench
