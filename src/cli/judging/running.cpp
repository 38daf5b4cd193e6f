#include "cli/judging/running.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "base/errno_failure.hpp"
#include "cli/shell/progress.hpp"

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
    std::filesystem::create_directories(traces);
    if (::access(traces.c_str(), W_OK) == 0) return true;
    fail_by_errno(traces);
  } catch (const std::exception& error) {
    reports.error({out.string(), 0, 0, "", ""},
                  fmt::format("no traces can be written there: {}", error.what()),
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

}  // namespace kbench
