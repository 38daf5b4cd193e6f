#include "cli/running.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/errno_failure.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "cli/tuning.hpp"
#include "verdict/verdict.hpp"

namespace kbench {
namespace {

std::atomic<bool> is_interrupted{false};
std::atomic<bool> has_nothing_in_hand{false};

void on_interrupt(int) {
  const std::string_view text =
      has_nothing_in_hand
          ? "\n"
          : "\nkbench: interrupted: the record in hand is finished; once more ends at once\n";
  is_interrupted = true;
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody reads it
}

// That no configuration of a solution can be used is a negative verdict, though the heuristic's may
// have served.
int with_untuned(int status, bool is_untuned) {
  return is_untuned && (status == exit_good || status == exit_undecided)
             ? static_cast<int>(exit_negative)
             : status;
}

}  // namespace

const std::atomic<bool>& interrupted() { return is_interrupted; }

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = &on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

void set_idle(bool is_idle) { has_nothing_in_hand = is_idle; }

void ReportPrinter::print(const Diagnostics& reports) {
  for (const Diagnostic& report : reports.items()) {
    const bool wanted =
        report.level == Level::error || (!terminal().quiet && report.level == Level::warning);
    const std::string text = wanted ? render(report, terminal().colour_err) : "";
    if (text.empty() || !printed_.insert(text).second) continue;
    progress().beside([&] { std::fwrite(text.data(), 1, text.size(), stderr); });
  }
}

void add(RunTotals& totals, const RunTotals& part) {
  totals.passed += part.passed;
  totals.failed += part.failed;
  totals.abandoned += part.abandoned;
  totals.refused += part.refused;
  totals.unrun += part.unrun;
  totals.interrupted |= part.interrupted;
  totals.broken |= part.broken;
}

int with_settings(RunCommand& c,
                  const std::function<int(const Settings& settings, Diagnostics reports)>& body) {
  if (!c.no_cache && !(c.caches = user_caches())) return exit_input;
  Diagnostics reports;
  if (!(c.held_at = isolation_for(c, reports))) {
    ReportPrinter().print(reports);
    return exit_environment;
  }
  const auto settings = settings_of(c, reports);
  const std::size_t before = reports.errors();
  c.configuration = configuring_plan(c.configuring, threads_for(c), c.caches.has_value(), reports);
  // What is fastest for warm calls need not be for these.
  if (c.cold) c.configuration.purpose.objective = "cold";
  const auto is_good = [&] { return settings && reports.errors() == before; };
  if (is_good()) c.stages = shown(trace_events_to(c.stamps.trace_events, reports));
  if (!is_good()) {
    ReportPrinter().print(reports);
    return exit_input;
  }
  const auto is_untuned = std::make_shared<bool>(false);
  if (c.configuration.policy == SelectionPolicy::autotune)
    c.configuration.tune_now = tuning_now(c, settings->config, is_untuned);
  const int status = body(*settings, std::move(reports));
  c.stages = {};  // ends the file
  return with_untuned(status, *is_untuned);
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

RunOptions run_options_of(const RunCommand& c, const RunConfig& config) {
  RunOptions options = machine_options(c);
  options.config = config;
  options.rule = c.rule;
  options.seed = c.seed.value_or(0);
  if (c.audit) {
    options.audit.emplace();
    options.audit->sets = c.audit_calls;
    options.audit->secret_seed = !c.seed;
  }
  options.sanitizers = parse_sanitizers(c.sanitize).value_or(Sanitizers{});
  options.profile = c.profile;
  options.gpus = c.gpus;
  options.threads = threads_for(c);
  options.budget_seconds = c.budget;
  options.cold = c.cold;
  options.rotate = c.rotate;
  options.loads = c.loads;
  options.engine = find_engine(c.engine).value_or(Engine::kbench);
  options.worker_limits.threads = options.threads;
  set_timeout(options, config.timeout_seconds);
  options.worker_limits.memory_bytes =
      static_cast<std::uint64_t>(c.memory_gib * 1024 * 1024 * 1024);
  options.reference_limits.evaluator = *find_choice(c.evaluator);
  options.configurator = std::make_shared<ConfiguredJobs>(c.configuration);
  options.stages = c.stages;
  options.stamps = c.stamps.stamp || !c.stamps.trace_events.empty();
  return options;
}

}  // namespace kbench
