// Strictness with which solutions are held.
#include "cli/judging/running.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "base/confined.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "cli/shell/progress.hpp"
#include "judge/derive/sweep.hpp"
#include "sandbox/isolation.hpp"

namespace kbench {

void add(RunTotals& totals, const RunTotals& part) {
  totals.passed += part.passed;
  totals.failed += part.failed;
  totals.abandoned += part.abandoned;
  totals.refused += part.refused;
  totals.unrun += part.unrun;
  totals.not_emulated += part.not_emulated;
  totals.interrupted |= part.interrupted;
  totals.broken |= part.broken;
}

bool can_write(const std::filesystem::path& out, Diagnostics& reports) {
  if (out.empty()) return true;
  try {
    const std::filesystem::path traces = out / "traces";
    create_confined_folders(traces);
    if (::access(traces.c_str(), W_OK) == 0) return true;
    fail_by_errno(traces);
  } catch (const std::exception& error) {
    reports.error({out.string()}, fmt::format("no traces can be written there: {}", error.what()),
                  "name another folder with --out DIR, or write none with --no-save-results");
    return false;
  }
}

RunEvents progress_events(ReportPrinter& printer, bool& has_errors) {
  RunEvents events;
  events.planned = [](std::size_t evaluations) { progress().expect(evaluations); };
  events.abandoned = [](const Job& job) { progress().advance(job.solutions.size()); };
  events.reported = [&](const Diagnostics& reports) {
    printer.print(reports);
    has_errors |= reports.errors() > 0;
  };
  return events;
}

RunOptions run_options_of(const RunCommand& c, const RunConfig& config) {
  RunOptions options = machine_options(c);
  options.config = config;
  options.seed = c.seed.value_or(0);
  if (c.emulate) options.emulation = Emulation{options.seed, c.emulate_limit};
  if (c.audit) {
    options.audit.emplace();
    options.audit->sets = c.audit_calls;
    options.audit->secret_seed = !c.seed;
  }
  JudgeSettings judge = c.options.judge;
  judge.threads = threads_for(c);
  judge.timeout_seconds = config.timeout_seconds;
  judge.memory_bytes = static_cast<std::int64_t>(c.memory_gib * 1024 * 1024 * 1024);
  set_judge(options, std::move(judge));
  options.configurator = std::make_shared<ConfiguredJobs>(c.configuration);
  options.stamps = c.stamps.stamp || !c.stamps.trace_events.empty();
  return options;
}

namespace {

void warn_of_limits(bool is_audit, Diagnostics& out) {
  const std::string& why = missing_for(Isolation::landlock);
  out.warning({},
              fmt::format("isolation level C: solutions can read and write what you can, and reach "
                          "the network{}{}",
                          is_audit ? ", which no audit can see" : "",
                          why.empty() ? "" : fmt::format(" (no level B: {})", why)),
              "judge only what you would run anyway; --require-isolation B refuses this");
}

}  // namespace

std::optional<Isolation> isolation_for(const RunCommand& command, Diagnostics& out) {
  const Isolation level = isolation_of(command.isolation).value_or(best_isolation());
  const Isolation required = isolation_of(command.required_isolation).value_or(Isolation::limits);
  const auto refuse = [&out](Isolation wanted, const std::string& why) {
    out.error(
        {}, fmt::format("solutions cannot be held at isolation level {}: {}", letter(wanted), why),
        fmt::format("see kbench run --help; this machine and user can have level {}",
                    letter(best_isolation())));
    return std::nullopt;
  };
  if (const std::string& why = missing_for(level); !why.empty()) return refuse(level, why);
  if (level == Isolation::limits && command.options.signing_key) {
    out.error({}, "--sign needs isolation level A or B: at level C a solution could read the key");
    return std::nullopt;
  }
  if (is_at_least(level, required)) {
    if (level == Isolation::limits) warn_of_limits(command.audit, out);
    return level;
  }
  const std::string& why = missing_for(required);
  return refuse(required, why.empty() ? "--isolation chooses " + command.isolation : why);
}

// The command that judges one record again.

namespace {

// Adds the workload; a sweep has the workload that it is made from and the lengths of this one.
void add_workload(const Trace& trace, const RunCommand& c, std::string& line) {
  const auto add = [&line](std::string_view option, const std::string& value) {
    line += fmt::format(" {} {}", option, shell_quote(value));
  };
  if (c.sweep.empty()) return add("--workload", trace.workload.uuid);
  for (const std::string& uuid : c.selection.workloads) add("--workload", uuid);
  Diagnostics unused;
  for (const SweepAxis& axis : read_sweep(c.sweep, unused)) {
    if (const std::int64_t* length = trace.workload.axes.find(axis.name))
      add("--sweep", fmt::format("{}={}", axis.name, *length));
  }
}

}  // namespace

std::string reproduce_line(const Trace& trace, const RunCommand& c, const Target& target,
                           const std::string& workloads) {
  std::string line = c.contract ? "kbench kernels test" : "kbench run";
  const auto add = [&line](std::string_view option, std::string_view value) {
    line += fmt::format(" {} {}", option, shell_quote(value));
  };
  add("--root", target.set.root.string());
  if (target.from_files) add("--trace", workloads);
  for (const std::string& library : c.kernels)
    c.contract ? void(line += " " + shell_quote(library)) : add("--kernels", library);
  add("--definition", trace.definition);
  add("--solution", trace.solution.value_or(""));
  if (trace.solution == c.baseline) add("--baseline", c.baseline);
  add_workload(trace, c, line);
  // The seed of an audit is not secret any more: a user who wants the same inputs again gives it.
  const bool has_details = trace.evaluation && trace.evaluation->kbench;
  add("--seed", has_details ? trace.evaluation->kbench->seed : std::to_string(c.seed.value_or(0)));
  if (has_details && trace.evaluation->kbench->configuration)
    add("--cfg", configuration_text(trace.evaluation->kbench->configuration->values));
  return line + c.given;
}

}  // namespace kbench
