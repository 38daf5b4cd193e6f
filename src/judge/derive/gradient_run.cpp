#include "judge/derive/gradient_run.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "judge/builds.hpp"
#include "judge/derive/direction.hpp"
#include "judge/derive/gradient_check.hpp"
#include "judge/run_caches.hpp"
#include "kernels/registry/sidecar.hpp"

namespace kbench {
namespace {

constexpr std::string_view no_gpu =
    "gradients are checked on the CPU: its functions run on a GPU, and are not judged";

// What is declared of a Solution's gradients.
struct Declared {
  GradientSpec spec;
  std::optional<GradientFunctions> functions;  // that are judged
  bool is_good = true;                         // else it is reported
};

class Session {
 public:
  Session(const TraceSet& set, const GradientOptions& options, const GradientEvents& events,
          const std::atomic<bool>& stop)
      : set_(set),
        options_(options),
        events_(events),
        stop_(stop),
        caches_(options.run),
        toolchain_(toolchain_for(options.run, caches_, &stop)),
        evaluator_(options.run.programs / "kbench-torch", options.run.reference_limits,
                   static_cast<int>(options.run.judge.threads), stop, caches_.answer_store()),
        host_(options.run.programs / "kbench-torch", Evaluator::python, stop) {}

  GradientTotals run(std::vector<Job> jobs) {
    for (Job& job : jobs) std::erase_if(job.solutions, [&](auto* one) { return !takes(*one); });
    std::erase_if(jobs, [](const Job& job) { return job.solutions.empty(); });
    jobs = configured(std::move(jobs));
    if (!jobs.empty()) evaluator_.start();
    builds_ = build_all(jobs, toolchain_, options_.run.build_jobs, options_.run.stages);
    report_unbuilt();
    for (const Job& job : jobs) {
      if (stop_ || totals_.broken) break;
      run_guarded(job);
    }
    totals_.interrupted = stop_;
    return totals_;
  }

 private:
  // By its name: one with a configuration is no record of the set.
  const Declared& declared(const Solution& solution) {
    const auto known = declared_.find(solution.name);
    if (known != declared_.end()) return known->second;
    Declared& out = declared_[solution.name];
    Diagnostics reports;
    for (const Stored<Solution>& stored : set_.solutions)
      if (stored.record.name == solution.name) declare(stored, reports, out);
    out.is_good = reports.errors() == 0;
    if (!reports.empty()) events_.reported(reports);
    return out;
  }

  void declare(const Stored<Solution>& stored, Diagnostics& reports, Declared& out) const {
    Sidecar sidecar = sidecar_of(stored, reports);
    const Definition* const definition = set_.definition(stored.record.definition);
    if (definition != nullptr) fits(sidecar.gradients, *definition, reports);
    if (reports.errors() > 0) return;
    out.spec = std::move(sidecar.gradients);
    // Half of a pair is a mistake, whoever asks.
    if (!options_.only_pairs || has_gradient_function(stored.record, sidecar.methods))
      out.functions = gradient_functions(stored, sidecar.methods, reports);
  }

  // Whether it has gradients to judge. What is wrong with them is reported, and counted.
  bool takes(const Solution& solution) {
    const Declared& one = declared(solution);
    if (!one.is_good) ++totals_.abandoned;
    return one.functions.has_value();
  }

  // Configures the jobs; reports those without a configuration, and what else is wrong with one.
  std::vector<Job> configured(std::vector<Job> jobs) {
    if (!options_.run.configurator) return jobs;
    Diagnostics reports;
    const std::size_t before = count_evaluations(jobs);
    jobs = options_.run.configurator->configured(set_, std::move(jobs), toolchain_, reports);
    totals_.abandoned += before - count_evaluations(jobs);
    if (reports.errors() > 0 && totals_.abandoned == 0) ++totals_.abandoned;
    if (!reports.empty()) events_.reported(reports);
    return jobs;
  }

  void report_unbuilt() {
    const Diagnostics reports = unbuilt(builds_);
    totals_.broken |= !builds_.broken.empty();
    if (!reports.empty()) events_.reported(reports);
  }

  void run_guarded(const Job& job) try { run_job(job); } catch (const Interrupted&) {
    ++totals_.abandoned;
  } catch (const std::exception& error) {
    totals_.broken = true;
    Diagnostics reports;
    reports.error({}, fmt::format("{} {}: {}", job.definition->name,
                                  job.workload->record.workload.uuid, error.what()));
    events_.reported(reports);
  }

  void run_job(const Job& job) {
    const auto workload = prepared_workload(job);
    if (!workload) {
      totals_.abandoned += job.solutions.size();
      return;
    }
    for (const Solution* solution : job.solutions) {
      if (stop_) return;
      const auto build = builds_.results.find(solution);
      if (build == builds_.results.end() || lacks_device(*solution) ||
          is_unsupported(job, *solution)) {
        ++totals_.refused;
        continue;
      }
      events_.started(job, *solution);
      const StageSpan span(
          options_.run.stages,
          {"gradients", job.definition->name, job.workload->record.workload.uuid, solution->name});
      finish(report_of(job, *solution, build->second, *workload));
    }
  }

  bool lacks_device(const Solution& solution) {
    if (solution.spec.language != Language::cuda) return false;
    Diagnostics reports;
    reports.warning({}, fmt::format("solution \"{}\": {}", solution.name, no_gpu));
    events_.reported(reports);
    return true;
  }

  bool is_unsupported(const Job& job, const Solution& solution) {
    if (!options_.run.configurator) return false;
    const std::string why = options_.run.configurator->unsupported(job, solution);
    if (why.empty()) return false;
    Diagnostics reports;
    reports.warning({}, fmt::format("solution \"{}\" on workload {}: UNSUPPORTED: {}",
                                    solution.name, job.workload->record.workload.uuid, why));
    events_.reported(reports);
    return true;
  }

  PrepareOptions prepare_options(const Job& job) const {
    return {resolve(options_.run.config, job.definition->op_type, job.definition->name),
            set_.root,
            options_.run.seed,
            static_cast<int>(options_.run.judge.threads),
            find_rule("kbench"),
            std::nullopt};
  }

  std::optional<PreparedWorkload> prepared_workload(const Job& job) {
    Diagnostics reports;
    const StageSpan span(options_.run.stages,
                         {"reference", job.definition->name, job.workload->record.workload.uuid});
    std::optional<PreparedWorkload> out;
    if (auto bound = bind_workload(*job.definition, *job.workload, prepare_options(job), reports))
      out = prepare(std::move(*bound), evaluator_, reports);
    if (!reports.empty()) events_.reported(reports);
    return out;
  }

  EvaluateOptions evaluate_options(const Job& job) {
    EvaluateOptions out;
    out.worker = options_.run.programs / worker_program(Engine::kbench);
    out.rule = find_rule("kbench");
    out.config = resolve(options_.run.config, job.definition->op_type, job.definition->name);
    out.limits = options_.run.worker_limits;
    if (!toolchain_.tvm_ffi_lib.empty()) out.limits.readable.push_back(toolchain_.tvm_ffi_lib);
    out.judge = options_.run.judge;
    out.host = &host_;
    out.prepare_of = prepares_by(options_.run.configurator);
    return out;
  }

  void note_configuration(const Job& job, const Solution& solution, GradientReport& report) const {
    if (options_.run.configurator)
      report.configuration = options_.run.configurator->record_of(job, solution);
    if (!report.configuration) return;
    const ConfigurationRecord& chosen = *report.configuration;
    report.rows.push_back({"configuration",
                           configuration_text(chosen.values),
                           RowStatus::ok,
                           fmt::format("{}{}, {}", chosen.source,
                                       chosen.key ? " " + *chosen.key : "", report.direction),
                           "",
                           "",
                           {}});
  }

  GradientReport report_of(const Job& job, const Solution& solution, const BuildResult& build,
                           const PreparedWorkload& workload) {
    GradientReport report;
    report.definition = job.definition->name;
    report.workload = job.workload->record.workload.uuid;
    report.solution = solution.name;
    report.seed = options_.run.seed;
    report.direction = direction_name(options_.direction);
    note_configuration(job, solution, report);
    if (!build.built) {
      report.rows.push_back({"build",
                             solution.name,
                             RowStatus::wrong,
                             printable(build.cause + "\n" + build.log),
                             "",
                             "",
                             {}});
      return report;
    }
    const Declared& known = declared(solution);
    const auto& [forward, backward] = *known.functions;
    report.rows.push_back({"functions",
                           fmt::format("{}, {}", forward.function, backward.function),
                           RowStatus::ok,
                           fmt::format("{} pair", forward.level),
                           "",
                           "",
                           {}});
    const PreparedGradient prepared =
        prepare_gradient(*job.definition, workload, known.spec, evaluator_, {report.seed, false});
    if (const std::string problem = reference_problem(prepared); !problem.empty()) {
      report.outcome = GradientOutcome::reference_not_differentiable;
      report.rows.push_back(
          {"reference", job.definition->name, RowStatus::note, problem, "", "", {}});
      return report;
    }
    check({prepared, solution, build, *known.functions}, job, report);
    return report;
  }

  void check(const GradientSubject& subject, const Job& job, GradientReport& report) {
    const EvaluateOptions options = evaluate_options(job);
    for (GradientRow& row : check_gradients(subject, options))
      report.rows.push_back(std::move(row));
    report.outcome = outcome_of(report.rows);
    if (report.outcome == GradientOutcome::passed && options_.is_timed)
      time(subject, options, report);
  }

  void time(const GradientSubject& subject, const EvaluateOptions& options,
            GradientReport& report) const {
    DirectedRun run(subject, options, options_.direction);
    if (run.judge() && run.begin_timing() && take_times(run, report.times) && run.prove() &&
        run.end_timing())
      return;
    run.has_failed();  // notes which of its calls
    const auto& details = run.failure().kbench;
    report.rows.push_back({"timing",
                           "",
                           RowStatus::wrong,
                           details && details->cause ? *details->cause : "a timed call failed",
                           "",
                           "",
                           {}});
  }

  // False where a call failed.
  bool take_times(DirectedRun& run, GradientTimes& times) const {
    const std::pair<Direction, std::optional<Timing>&> all[] = {
        {Direction::forward, times.forward},
        {Direction::backward, times.backward},
        {Direction::both, times.both}};
    for (const auto& [direction, time] : all) {
      const bool is_wanted =
          options_.direction == Direction::both || options_.direction == direction;
      if (is_wanted && !(time = run.time(direction))) return false;
    }
    return true;
  }

  void finish(GradientReport report) {
    if (report.outcome == GradientOutcome::passed) report.outcome = outcome_of(report.rows);
    report.reproduce =
        fmt::format("kbench grad {} -s {} -w {} --seed {}", shell_quote(report.definition),
                    shell_quote(report.solution), shell_quote(report.workload), report.seed);
    if (options_.direction != Direction::both)
      report.reproduce += " --direction " + report.direction;
    if (report.configuration && !report.configuration->values.empty())
      report.reproduce += " --cfg " + shell_quote(configuration_text(report.configuration->values));
    switch (report.outcome) {
      case GradientOutcome::passed:
        ++totals_.passed;
        break;
      case GradientOutcome::wrong:
        ++totals_.wrong;
        break;
      case GradientOutcome::reference_not_differentiable:
        ++totals_.not_differentiable;
        break;
      case GradientOutcome::failed:
        ++totals_.abandoned;
    }
    events_.finished(report);
  }

  const TraceSet& set_;
  const GradientOptions& options_;
  const GradientEvents& events_;
  const std::atomic<bool>& stop_;
  RunCaches caches_;
  Toolchain toolchain_;
  ReferenceEvaluator evaluator_;
  CandidateHost host_;
  Builds builds_;
  std::map<std::string, Declared> declared_;
  GradientTotals totals_;
};

}  // namespace

GradientTotals run_gradients(const TraceSet& set, const std::vector<Job>& jobs,
                             const GradientOptions& options, const GradientEvents& events,
                             const std::atomic<bool>& stop) {
  return Session(set, options, events, stop).run(jobs);
}

}  // namespace kbench
