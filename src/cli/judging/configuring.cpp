#include "cli/judging/configuring.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/judging/running.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/equipment.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "schema/names.hpp"
#include "tune/tuned.hpp"

namespace kbench {
namespace {

// A file that is written as events come; each line is there at once.
SelectionEvents events_to(const std::string& path, Diagnostics& reports) {
  if (path.empty()) return {};
  if (path == "-") return [](const SelectionEvent& event) { tell(event_line(event)); };
  auto file = std::make_shared<Fd>(open_named_output(path));
  if (!*file) {
    reports.error({path}, "--events: cannot be written");
    return {};
  }
  return [file, path](const SelectionEvent& event) { write_all(*file, event_line(event), path); };
}

void add_overlay(const std::string& path, ConfiguringPlan& plan, Diagnostics& reports) try {
  const Source source{path, read_file(path)};
  if (auto overlay = read_overlay(source, reports)) plan.overlays.push_back(*std::move(overlay));
} catch (const std::system_error& error) {
  reports.error({path}, fmt::format("--overlay: cannot be read: {}", error.code().message()));
}

}  // namespace

void declare_configuring(CommandLine line, ConfiguringOptions& options) {
  line.add_option("--cfg NAME=VALUE,...", options.cfg,
                  "Values of the parameters that solutions declare, before all that was tuned: "
                  "BLOCK=128,VEC=4; see docs/tuning.md");
  line.add_option(
          "--overlay FILE", options.overlays,
          "Configurations for certain calls, before those that were tuned; of several files "
          "the last counts first; see docs/tuned-store.md")
      .existing_file()
      .one_word();
  line.add_option("--cfg-policy POLICY", options.policy,
                  "Which configurations count: tuned (the default), and where none was the "
                  "heuristic; autotune: what was not tuned is tuned now; heuristic; or require: "
                  "what was tuned or nothing")
      .one_of(policy_names());
  line.add_option("--tune-budget S", options.tune_seconds,
                  "With --cfg-policy autotune: seconds after which a search tries no further "
                  "configuration; default 60")
      .check(positive(1e6));
  line.add_option("--events FILE", options.events,
                  "Write how configurations were chosen to a file, a line of JSON for each step; - "
                  "for stderr");
}

void decline_tuning(CommandLine line) {
  line.remove("--tune-budget");
  line.find("--cfg-policy")
      .doc(
          "Which configurations count: tuned (the default), and where none was the heuristic; "
          "heuristic; or require: what was tuned or nothing")
      .one_of({"tuned", "heuristic", "require"});
}

ConfiguringPlan configuring_plan(const ConfiguringOptions& options, int threads, bool is_kept,
                                 Diagnostics& reports) {
  ConfiguringPlan plan;
  plan.threads = threads;
  plan.host = [] {
    static const Host host = find_host();  // starts a program
    return host;
  };
  plan.policy = *find_policy(options.policy);
  if (options.cfg) {
    auto parsed = parse_configuration(*options.cfg);
    if (auto* values = std::get_if<Configuration>(&parsed))
      plan.chosen = std::move(*values);
    else
      reports.error({}, "--cfg: " + std::get<std::string>(parsed));
  }
  for (const std::string& path : options.overlays) add_overlay(path, plan, reports);
  plan.events = events_to(options.events, reports);
  if (is_kept)
    plan.store = std::make_shared<TunedStore>(
        tuned_root(), [](const std::string& message) { tell("warning: " + message + "\n"); });
  return plan;
}

namespace {

// Processes that are there at once.
constexpr std::size_t batch = 16;
// Largest space of which all are tried; larger ones are searched near the best.
constexpr std::size_t most_for_exhaustive = 64;

// Options that take little from the command: a search must not rest on how the run itself judges.
RunOptions plain_options(const RunCommand& command, const RunConfig& config, const TuningKey& key) {
  RunOptions options = run_options_of(command, config);
  const JudgeSettings& told = options.judge;
  options.judge = {.config = {},
                   .timeout_seconds = told.timeout_seconds,
                   .memory_bytes = told.memory_bytes,
                   .threads = told.threads,
                   .budget_seconds = told.budget_seconds,
                   .evaluator = told.evaluator,
                   .cold = key.objective == "cold"};
  options.audit.reset();
  options.profile = false;
  return options;
}

std::string_view strategy_for(const Space& space) {
  return space.size() <= most_for_exhaustive ? "exhaustive" : "local";
}

// "BLOCK=64: INCORRECT_NUMERICAL: NaN at [0, 1]"
std::vector<std::string> failures_of(const TuneReport& report) {
  std::vector<std::string> failures;
  for (const TuneRow& row : report.rows) {
    if (row.status == Status::passed) continue;
    failures.push_back(fmt::format("{}: {}{}{}", configuration_text(row.configuration),
                                   name_of(row.status), row.cause.empty() ? "" : ": ",
                                   row.cause.substr(0, row.cause.find('\n'))));
  }
  return failures;
}

// Tunes in a nested run, whose words on the workload are left to the run itself.
AutotuneResult tune_now(const RunCommand& command, const RunConfig& config, const TuneNowTask& task,
                        bool& has_failed) {
  Diagnostics problems;
  const auto space =
      make_space(task.tunables, call_facts(task.problem, task.tunables.implementation), problems,
                 space_watch(task.plain.name));
  progress().note("");
  if (!space) return {std::nullopt, {problems.items().front().message}};
  const SearchWish wish{strategy_for(*space), command.seed.value_or(0),
                        command.configuring.tune_seconds};
  const Job job{task.job.definition, task.job.workload, {&task.solution}};
  const SearchOutcome found = search_configurations(
      {task.set, job, plain_options(command, config, task.key)},
      {task.plain, task.tunables, *space}, search_options(wish, task.key.objective), {},
      [&](const TuneReport& so_far) { progress().note(search_progress(task.plain.name, so_far)); });
  progress().note("");
  if (interrupted()) return {std::nullopt, {"it was interrupted"}};
  if (!found.report) return {std::nullopt, {"the workload cannot be judged"}};
  auto entry = tuned_entry(*found.report, {task.key, task.job.workload->record.workload.uuid,
                                           task.problem.axes, std::string(wish.strategy), wish.seed,
                                           timestamp_now(), std::string(kbench_version())});
  has_failed |= !entry;
  return {std::move(entry), failures_of(*found.report)};
}

}  // namespace

TuneOptions search_options(const SearchWish& wish, std::string_view objective) {
  TuneOptions options;
  options.strategy = find_strategy(wish.strategy);
  options.search.seed = wish.seed;
  options.search.batch = batch;
  options.search.stop = [] { return interrupted().load(); };
  options.budget_seconds = wish.budget_seconds;
  options.contest.budget_ns = wish.contest_seconds * 1e9;
  options.contest.pace.cold = objective == "cold";
  return options;
}

SearchOutcome search_configurations(const SearchPlace& place, const TuneSubject& subject,
                                    const TuneOptions& how, const RunEvents& events,
                                    const TuneProgress& progress) {
  SearchOutcome outcome;
  RunOptions options = place.options;
  options.configurator = std::make_shared<ConfiguredJobs>(ConfiguringPlan{
      .policy = SelectionPolicy::heuristic, .threads = static_cast<int>(options.judge.threads)});
  options.instead = [&](const Workplace& workplace) {
    TuneSubject here = subject;
    if (place.starter) {
      const auto start = place.starter(workplace);
      if (!start) return;
      here.start = *start;
    }
    outcome.report = tune(workplace, here, how, progress);
  };
  outcome.totals = run_jobs(place.set, {place.job}, options, events, interrupted());
  return outcome;
}

std::string search_progress(const std::string& solution, const TuneReport& so_far) {
  std::string best;
  double least = 0;
  for (const TuneRow& row : so_far.rows) {
    const auto time = row.shortest_ns();
    if (!time || (!best.empty() && *time >= least)) continue;
    least = *time;
    best =
        fmt::format(", best {} with {}", human_time(least), configuration_text(row.configuration));
  }
  return fmt::format("{}: {} of {} configurations{}", solution, so_far.rows.size(), so_far.space,
                     best);
}

TuneNow tuning_now(const RunCommand& command, const RunConfig& config,
                   std::shared_ptr<bool> has_failed) {
  return [&command, config, has_failed = std::move(has_failed)](const TuneNowTask& task) {
    return tune_now(command, config, task, *has_failed);
  };
}

SpaceWatch space_watch(const std::string& solution) {
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  return [solution, next = Clock::now() + 500ms](double part) mutable {
    if (Clock::now() >= next) {
      progress().note(
          fmt::format("{}: {:.1f} % of all combinations gone through", solution, 100 * part));
      next = Clock::now() + 100ms;
    }
    return interrupted().load();
  };
}

}  // namespace kbench
