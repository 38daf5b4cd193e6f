// kbench tune: the configuration with which a Solution is fastest, found and kept.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/file.hpp"
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
#include "cli/tune/tune_options.hpp"
#include "cli/tune/tune_text.hpp"
#include "judge/derive/direction.hpp"
#include "judge/equipment.hpp"
#include "judge/run_caches.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "kernels/registry/registry.hpp"
#include "problem/bind.hpp"
#include "schema/targets.hpp"
#include "tune/imported_search.hpp"
#include "tune/key.hpp"
#include "tune/make_space.hpp"
#include "tune/tuned.hpp"

namespace kbench {
namespace {

// A Solution on a workload, whose configuration is to be found.
struct TuneTask {
  const Stored<Solution>* solution = nullptr;
  Job job;
  Solution plain;  // copy with the function that is called
  Tunables tunables;
  Problem problem;
  Space space;
  TuningKey key;
  std::vector<std::uint32_t> first = {};     // those asked about first
  std::optional<DeclaredGradient> gradient;  // set for directions with a backward pass
};

// The configurations of the file that the space has, the fastest there first. Returns nothing where
// the file is wrong or of other parameters, which is reported.
std::optional<std::vector<std::uint32_t>> imported_first(const std::string& file,
                                                         const TuneSubject& subject,
                                                         const CallFacts& facts,
                                                         Diagnostics& reports) {
  const auto others = heuristic_configuration(subject.tunables, facts);
  auto imported =
      import_search({file, read_file(file)},
                    {subject.tunables, subject.space, others.value_or(Configuration{})}, reports);
  if (!imported) return std::nullopt;
  const std::size_t number = imported->first.size();
  std::string text =
      fmt::format("{}: {} of {} {} first", subject.solution.name, counted(number, "configuration"),
                  file, number == 1 ? "comes" : "come");
  if (imported->missing > 0) text += fmt::format(", {} not in the space", imported->missing);
  if (imported->failed > 0) text += fmt::format(", {} failed there", imported->failed);
  tell(text + "\n");
  return std::move(imported->first);
}

PreparedGradient prepared_on(const Workplace& place, const DeclaredGradient& gradient) {
  return prepare_gradient(*place.job.definition, place.workload, gradient.spec,
                          *place.options.evaluator, {place.workload.seed, false});
}

StartContender started(const PreparedGradient& prepared, const DeclaredGradient& gradient,
                       const Workplace& place, const std::string& direction) {
  return starts_directed(prepared, gradient.functions, place.options, *find_direction(direction));
}

std::string why_declined(const Sidecar& sidecar, const CallFacts& facts,
                         const Stored<Solution>& stored) {
  const std::string why = broken_condition(sidecar.all.conditions, facts);
  if (!why.empty() || is_for_gpu(stored.record.spec.language)) return why;
  const Implementation one = implementation_of(stored, sidecar.all);
  return why_not_here(one.platform, one.backend, &find_host);
}

class TuneRun {
 public:
  TuneRun(const TuneCommand& command, const Settings& settings, Diagnostics reports)
      : c_(command), settings_(settings), reports_(std::move(reports)) {}

  int run() {
    if (!check_rule() || !check_outputs()) return exit_input;
    const auto targets = load_targets({}, c_.run.root, {}, reports_);
    if ((has_input_errors_ = targets.empty())) printer_.print(reports_);
    for (const Target& target : targets) {
      std::vector<TuneTask> tasks = tasks_of(target);
      progress().note("");
      progress().expect(tasks.size());
      printer_.print(std::exchange(reports_, {}));
      if (c_.dry_run) {
        for (const TuneTask& task : tasks) show_plan(task);
      } else {
        for (const TuneTask& task : tasks) {
          tune_task(target.set, task);
          progress().advance(1);
        }
      }
    }
    print_found();
    return status();
  }

 private:
  // Refuses other rules, by which nothing is known of gradients.
  bool check_rule() {
    if (!is_backward() || c_.run.options.rule == "kbench") return true;
    reports_.error(
        {}, fmt::format("--direction {}: gradients are judged by the rule kbench", c_.direction));
    printer_.print(reports_);
    return false;
  }

  // Checks before a search, which may take long.
  bool check_outputs() {
    if (check_writable("--html", c_.html, reports_)) return true;
    printer_.print(reports_);
    return false;
  }

  void show_plan(const TuneTask& task) {
    TuneText text = text_of(task);
    const auto& store = c_.run.configuration.store;
    if (store && !c_.force) text.known = store->look(task.key);
    texts_.push_back(std::move(text));
  }

  bool is_backward() const { return c_.direction != "fwd"; }

  static TuneText text_of(const TuneTask& task) {
    TuneText text;
    text.definition = task.job.definition->name;
    text.solution = task.solution->record.name;
    text.workload = task.job.workload->record.workload.uuid;
    text.axes = task.problem.axes;
    text.direction = task.key.direction;
    text.objective = task.key.objective;
    text.key = short_key(task.key);
    text.report.space = task.space.size();
    for (const Parameter& parameter : task.tunables.parameters)
      text.parameters.push_back(parameter.name);
    if (const auto values = heuristic_configuration(
            task.tunables, call_facts(task.problem, task.tunables.implementation)))
      text.heuristic = configuration_text(*values);
    return text;
  }

  // Solutions that declare parameters, each with the workloads on which it is tuned: the first of
  // those that share a configuration.
  std::vector<TuneTask> tasks_of(const Target& target) {
    const Selection selection = selection_of(c_.run, settings_);
    const std::size_t before = reports_.errors();
    std::vector<Job> jobs =
        plan_jobs(target.set, target.workloads, selection, reports_, &declared_parameters);
    has_input_errors_ |= reports_.errors() != before;
    const RunOptions options = run_options_of(c_.run, settings_.config);
    RunCaches caches(options);
    const Toolchain toolchain = toolchain_for(options, caches);
    const OrderedMap<std::string> machine =
        machine_parts(cpu_fingerprint(), static_cast<int>(options.judge.threads));
    std::vector<TuneTask> tasks;
    std::set<std::string> keys;
    for (Job& job : jobs) {
      for (const Solution* solution : job.solutions) {
        auto task = task_for(target.set, job, *solution, toolchain, machine);
        if (interrupted()) return {};
        if (task && keys.insert(digest_of(task->key)).second) tasks.push_back(*std::move(task));
      }
    }
    if (tasks.empty() && !is_any_declined_ && reports_.errors() == before)
      reports_.error({},
                     fmt::format("nothing to tune: none of the solutions declares parameters{}",
                                 is_backward() ? " and has gradients" : ""),
                     is_backward() ? "docs/tuning.md and docs/gradients.md say how one does"
                                   : "docs/tuning.md says how one does");
    has_input_errors_ |= reports_.errors() != before;
    return tasks;
  }

  std::optional<TuneTask> task_for(const TraceSet& set, const Job& job, const Solution& solution,
                                   const Toolchain& toolchain,
                                   const OrderedMap<std::string>& machine) {
    const Stored<Solution>* const stored = set.stored(solution);
    const std::size_t before = reports_.errors();
    const Sidecar sidecar = checked_sidecar(*stored, *job.definition, reports_);
    const Tunables& tunables = sidecar.tunables;
    auto problem = bind(*job.definition, job.workload->record.workload,
                        Place(job.workload->path, job.workload->line), reports_);
    if (tunables.empty() || !problem || reports_.errors() != before) return std::nullopt;
    const CallFacts facts = call_facts(*problem, tunables.implementation);
    if (is_declined(sidecar, facts, *stored, problem->workload)) return std::nullopt;
    auto space = make_space(tunables, facts, reports_, space_watch(solution.name));
    if (!space) return std::nullopt;
    std::optional<DeclaredGradient> gradient;
    if (is_backward() && !(gradient = gradient_of(*stored, sidecar, *job.definition)))
      return std::nullopt;
    const TuningKey key = tuning_key(
        {*job.definition, solution, tunables, *problem, sidecar.methods},
        tuning_purpose(c_.direction, c_.objective), {machine, compiled_parts(solution, toolchain)});
    std::vector<std::uint32_t> first;
    if (!c_.import.empty()) {
      auto imported = imported_first(c_.import, {solution, tunables, *space}, facts, reports_);
      if (!imported) return std::nullopt;
      first = *std::move(imported);
    }
    return TuneTask{stored,
                    Job{job.definition, job.workload, {&solution}},
                    called_solution(solution, sidecar, *job.definition),
                    tunables,
                    *std::move(problem),
                    *std::move(space),
                    key,
                    std::move(first),
                    std::move(gradient)};
  }

  // Tells whether a solution says itself that it is not for this workload, or this machine.
  bool is_declined(const Sidecar& sidecar, const CallFacts& facts, const Stored<Solution>& stored,
                   const std::string& workload) {
    const std::string why = why_declined(sidecar, facts, stored);
    if (why.empty()) return false;
    reports_.warning(
        {}, fmt::format("{} is not for workload {}: {}", stored.record.name, workload, why));
    return is_any_declined_ = true;
  }

  // Gradient of a solution; one without is left out, said where it was named, or has half a pair.
  std::optional<DeclaredGradient> gradient_of(const Stored<Solution>& stored,
                                              const Sidecar& sidecar,
                                              const Definition& definition) {
    Diagnostics reports;
    auto gradient = declared_gradient(stored, sidecar, definition, reports);
    const bool is_meant = !c_.run.selection.solutions.empty() ||
                          has_gradient_function(stored.record, sidecar.methods);
    if (is_meant) reports_.append(std::move(reports));
    return gradient;
  }

  TuneOptions tune_options(const TuneTask& task) const {
    TuneOptions options = search_options(
        {c_.strategy, c_.run.seed.value_or(0), c_.budget_seconds, c_.contest_seconds},
        c_.objective);
    options.search.first = task.first;
    if (c_.evaluations > 0) options.search.evaluations = c_.evaluations;
    return options;
  }

  void tune_task(const TraceSet& set, const TuneTask& task) {
    if (interrupted()) return;
    TuneText text = text_of(task);
    if (is_known(task, text)) return;
    const auto lock = lock_store(task);
    if (!lock || is_known(task, text)) return;
    RunOptions options = run_options_of(c_.run, settings_.config);
    options.judge.cold = c_.objective == "cold";
    options.label = call_label(task.key);
    const TuneSubject subject{task.plain, task.tunables, task.space};
    const SearchOutcome found = search_configurations(
        {set, task.job, options, starter_of(task)}, subject, tune_options(task), events(),
        [&](const TuneReport& so_far) {
          progress().note(search_progress(task.solution->record.name, so_far));
        });
    broken_ |= found.totals.broken;
    progress().note("");
    if (!found.report) return;
    text.report = *found.report;
    keep(task, text);
    texts_.push_back(std::move(text));
  }

  // Returns what starts a backward pass; nothing for a run. A reference without a gradient is
  // reported, and no search is made.
  StarterOn starter_of(const TuneTask& task) {
    if (!task.gradient) return {};
    return [this, &task](const Workplace& place) -> std::optional<StartContender> {
      gradient_.emplace(prepared_on(place, *task.gradient));
      const std::string problem = reference_problem(*gradient_);
      if (problem.empty()) return started(*gradient_, *task.gradient, place, c_.direction);
      Diagnostics reports;
      reports.error({}, fmt::format("{}: {}", task.job.definition->name, problem));
      printer_.print(reports);
      has_input_errors_ = true;
      return std::nullopt;
    };
  }

  // Lock held while it is tuned: a second process takes what the first has found. An empty one
  // without a store; nothing where that cannot be written, and what is found could not be kept.
  std::optional<Fd> lock_store(const TuneTask& task) {
    const auto& store = c_.run.configuration.store;
    if (!store) return Fd();
    try {
      return store->lock(task.key, [&] {
        tell(fmt::format("{}: another process tunes it; waiting\n", task.solution->record.name));
      });
    } catch (const std::system_error& error) {
      say_unkept(error, "with --no-cache it is tuned and not kept");
      return std::nullopt;
    }
  }

  // Tells whether it was tuned before: it is not tuned again, unless that is asked for.
  bool is_known(const TuneTask& task, TuneText& text) {
    if (c_.force || !c_.run.configuration.store) return false;
    const auto entry = c_.run.configuration.store->find(task.key);
    if (!entry || is_provisional(*entry)) return false;
    text.known = *entry;
    texts_.push_back(std::move(text));
    return true;
  }

  void keep(const TuneTask& task, TuneText& text) {
    const auto entry = tuned_entry(
        text.report, {task.key, text.workload, text.axes, c_.strategy, c_.run.seed.value_or(0),
                      timestamp_now(), std::string(kbench_version())});
    if (!entry || !c_.run.configuration.store || interrupted()) return;
    try {
      text.is_kept = c_.run.configuration.store->put(*entry);
      if (!text.is_kept)
        tell(fmt::format("{}: what a whole search found stays, this one was cut short\n",
                         text.solution));
    } catch (const std::system_error& error) {
      say_unkept(error, "--html and --format json have it");
    }
  }

  void say_unkept(const std::system_error& error, const char* hint) {
    tell(fmt::format("{}: error: what is tuned cannot be kept: {}\n  hint: {}\n",
                     tuned_root().string(), error.code().message(), hint));
    broken_ = true;
  }

  RunEvents events() {
    RunEvents events;
    events.abandoned = [this](const Job&) { was_abandoned_ = true; };
    events.reported = [this](const Diagnostics& reports) {
      printer_.print(reports);
      has_input_errors_ |= reports.errors() > 0;
    };
    return events;
  }

  void print_found() {
    print_document(tune_document(texts_), c_.format);
    for (const TuneText& text : texts_) tell(tune_summary(text, c_.dry_run));
    if (!c_.html.empty()) write_file(c_.html, tune_html(texts_));
  }

  int status() const {
    if (interrupted()) return exit_interrupted;
    if (broken_) return exit_environment;
    if (has_input_errors_ || was_abandoned_) return exit_input;
    const bool any_unusable = std::any_of(texts_.begin(), texts_.end(), [&](const TuneText& text) {
      return !c_.dry_run && !text.known && text.report.decision == TuneDecision::none;
    });
    if (any_unusable) return exit_negative;
    return texts_.empty() ? exit_undecided : exit_good;
  }

  const TuneCommand& c_;
  const Settings& settings_;
  Diagnostics reports_;
  ReportPrinter printer_;
  std::vector<TuneText> texts_;
  std::optional<PreparedGradient> gradient_;  // gradient of the last task, where it has one
  bool has_input_errors_ = false;
  bool was_abandoned_ = false;
  bool is_any_declined_ = false;
  bool broken_ = false;
};

}  // namespace

std::function<int()> declare_tune(CommandLine line) {
  auto c = std::make_shared<TuneCommand>();
  declare_tuning(line, *c);
  return [c] {
    return with_settings(c->run, [&](const Settings& settings, Diagnostics reports) {
      watch_interrupts();
      return TuneRun(*c, settings, std::move(reports)).run();
    });
  };
}

}  // namespace kbench
