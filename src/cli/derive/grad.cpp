// kbench grad: tells whether a solution's gradients are right, and their times: docs/gradients.md.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.hpp"
#include "cli/judging/configuring.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "cli/judging/running.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/derive/gradient_run.hpp"
#include "kernels/registry/sidecar.hpp"
#include "schema/targets.hpp"
#include "schema/tuned_entry.hpp"

namespace kbench {
namespace {

struct GradCommand {
  RunCommand run;
  std::string definition;
  bool untimed = false;
  std::string direction = "fwd+bwd";
  std::string out;
  std::string format = "text";
};

// One report after the other as text, or all of them as JSON at the end.
class ReportWriter {
 public:
  explicit ReportWriter(const GradCommand& command) : command_(command) {}

  void add(GradientReport report) {
    if (!command_.run.root.empty()) report.reproduce += " --root " + shell_quote(command_.run.root);
    const bool goes_out = command_.format == "text" && command_.out.empty();
    if (goes_out) print(gradient_text(report, terminal().colour_out));
    reports_.push_back(std::move(report));
  }

  bool has(GradientOutcome outcome) const {
    return std::any_of(reports_.begin(), reports_.end(),
                       [&](const GradientReport& report) { return report.outcome == outcome; });
  }

  bool finish(Diagnostics& reports) const {
    if (command_.format == "json")
      return write_output(command_.out, gradient_json(reports_), reports);
    if (command_.out.empty()) return true;
    std::string text;
    for (const GradientReport& report : reports_) text += gradient_text(report, false);
    return write_output(command_.out, text, reports);
  }

 private:
  const GradCommand& command_;
  std::vector<GradientReport> reports_;
};

// The findings in all targets.
struct GradFindings {
  ReportWriter reports;
  RunTotals totals = {};
  bool input_errors = false;

  int exit_status() const {
    if (totals.interrupted) return exit_interrupted;
    if (totals.broken) return exit_environment;
    const bool is_undecided = reports.has(GradientOutcome::reference_not_differentiable);
    if (input_errors || totals.abandoned > 0 || is_undecided) return exit_input;
    if (reports.has(GradientOutcome::wrong)) return exit_negative;
    return reports.has(GradientOutcome::passed) ? exit_good : exit_undecided;
  }
};

void grad_target(const GradCommand& c, const RunOptions& usual, const TraceSet& set,
                 std::vector<Job> jobs, GradFindings& found) {
  ReportPrinter printer;
  RunEvents events = progress_events(printer, found.input_errors);
  GradientJudge judge(
      set, {!c.untimed && !c.run.emulate, c.run.emulate, c.run.selection.solutions.empty(),
            *find_direction(c.direction), usual.configurator.get()});
  Diagnostics reports;
  jobs = judge.jobs_of(std::move(jobs), reports);
  events.reported(reports);
  RunOptions options = usual;
  options.rule = "kbench";
  options.judges_all = true;
  bool is_judged = false;
  options.judge_pair = [&](const Job& job, const PreparedWorkload& workload,
                           const Solution& solution, const BuildResult& build,
                           const EvaluateOptions& how) {
    const StageSpan span(how.stages, {"gradients", job.definition->name,
                                      job.workload->record.workload.uuid, solution.name});
    GradientReport report = judge.judge(job, workload, solution, build, how);
    is_judged = true;
    Evaluation record;  // written nowhere
    record.status =
        report.outcome == GradientOutcome::passed ? Status::passed : Status::incorrect_numerical;
    found.reports.add(std::move(report));
    return record;
  };
  events.finished = [&](const Job&, const Solution&, const Trace& trace) {
    progress().advance(1);
    if (std::exchange(is_judged, false)) return;
    Diagnostics declined;
    declined.warning(
        {}, fmt::format("solution \"{}\" on workload {}: {}", *trace.solution, trace.workload.uuid,
                        trace.evaluation->kbench->cause.value_or("not judged")));
    events.reported(declined);
  };
  add(found.totals, run_jobs(set, jobs, options, events, interrupted()));
}

int grad_all(GradCommand& c, const Settings& settings, Diagnostics reports) {
  const auto targets = load_targets(c.run.traces, c.run.root, {}, reports);
  c.run.configuration.purpose = tuning_purpose(c.direction);
  const RunOptions options = run_options_of(c.run, settings.config);
  std::vector<std::vector<Job>> jobs;
  for (const Target& target : targets)
    jobs.push_back(plan_jobs(target.set, target.workloads, selection_of(c.run, settings), reports,
                             &declared_parameters));
  ReportPrinter printer;
  printer.print(reports);
  if (reports.errors() > 0) return exit_input;
  watch_interrupts();
  GradFindings found{ReportWriter(c)};
  for (std::size_t i = 0; i < targets.size(); ++i)
    grad_target(c, options, targets[i].set, std::move(jobs[i]), found);
  Diagnostics written;
  const bool is_written = found.reports.finish(written);
  printer.print(written);
  const int status = found.exit_status();
  if (status == exit_undecided) tell("nothing to do: no solution with gradients is selected\n");
  return is_written ? status : static_cast<int>(exit_environment);
}

int grad(GradCommand& c) {
  c.run.selection.definitions = {c.definition};
  c.run.profile_baseline = false;
  return with_settings(c.run, [&](const Settings& settings, Diagnostics reports) {
    return grad_all(c, settings, std::move(reports));
  });
}

void declare_selection(CommandLine line, GradCommand& c) {
  line.add_option("definition DEF", c.definition, "The definition").required();
  line.add_option("-s,--solution NAME...", c.run.selection.solutions,
                  "Only these solutions; default: all that have gradients");
  line.add_option("-w,--workload UUID...", c.run.selection.workloads,
                  "Only these workloads; default: all of the definition");
  line.add_option("--trace PATH...", c.run.traces,
                  "Workload files or trace sets; default: the trace set");
  line.add_option("--root DIR", c.run.root, "The trace set with definitions and solutions");
}

}  // namespace

std::function<int()> declare_grad(CommandLine line) {
  auto c = std::make_shared<GradCommand>();
  declare_selection(line, *c);
  line.add_option("--seed N", c->run.seed, "Of inputs and cotangents; default 0");
  line.add_flag("--untimed", c->untimed, "Check only");
  line.add_flag("--emulate", c->run.emulate,
                "Judge CUDA on the processor, untimed: docs/emulation.md");
  line.add_option("--direction D", c->direction,
                  "What is timed, and whose tuned configurations count: fwd, bwd, or fwd+bwd (the "
                  "default), which times all three")
      .one_of(direction_names);
  declare_configuring(line, c->run.configuring);
  decline_tuning(line);
  line.add_option("--budget S", c->run.options.judge.budget_seconds,
                  "Seconds of timing for each of forward, backward and both; default 0.02")
      .check(positive(1e6));
  line.add_option("--timeout S", c->run.timeout, "Seconds a call may take, and a reference")
      .check(integer(1, 1000000));
  declare_threads(line, c->run);
  line.add_option("--isolation LEVEL", c->run.isolation,
                  "How solutions are held: A, B, C or auto (the default), as in kbench run")
      .one_of({"A", "B", "C", "auto"});
  line.add_flag("--no-cache", c->run.no_cache, "Build and evaluate anew");
  line.add_option("--format FORMAT", c->format, "text or json").one_of({"text", "json"});
  line.add_option("-o,--out FILE", c->out, "Write the report to this file; default: stdout");
  return [c] { return grad(*c); };
}

}  // namespace kbench
