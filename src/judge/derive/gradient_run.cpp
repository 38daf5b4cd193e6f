#include "judge/derive/gradient_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "kernels/registry/sidecar.hpp"

namespace kbench {
namespace {

std::string command_of(const GradientReport& report, bool is_emulated) {
  std::string out =
      fmt::format("kbench grad {} -s {} -w {} --seed {}", shell_quote(report.definition),
                  shell_quote(report.solution), shell_quote(report.workload), report.seed);
  if (report.direction != direction_name(Direction::both))
    out += " --direction " + report.direction;
  if (is_emulated) out += " --emulate";
  if (report.configuration && !report.configuration->values.empty())
    out += " --cfg " + shell_quote(configuration_text(report.configuration->values));
  return out;
}

// False where a call failed.
bool take_times(DirectedRun& run, Direction wanted, GradientTimes& times) {
  const std::pair<Direction, std::optional<Timing>&> all[] = {{Direction::forward, times.forward},
                                                              {Direction::backward, times.backward},
                                                              {Direction::both, times.both}};
  for (const auto& [direction, time] : all) {
    const bool is_wanted = wanted == Direction::both || wanted == direction;
    if (is_wanted && !(time = run.sample(direction))) return false;
  }
  return true;
}

}  // namespace

std::optional<DeclaredGradient> GradientJudge::declared(const Solution& solution,
                                                        Diagnostics& reports) const {
  const Stored<Solution>& stored = *set_.stored(solution);
  const std::size_t before = reports.errors();
  const Sidecar sidecar = sidecar_of(stored, reports);
  // Half of a pair is a mistake, whoever asks.
  const bool is_asked = !options_.only_pairs || has_gradient_function(solution, sidecar.methods);
  if (!is_asked || reports.errors() != before) return std::nullopt;
  return declared_gradient(stored, sidecar, *set_.definition(solution.definition), reports,
                           options_.is_emulated);
}

std::vector<Job> GradientJudge::jobs_of(std::vector<Job> jobs, Diagnostics& reports) {
  for (Job& job : jobs) {
    std::erase_if(job.solutions, [&](const Solution* solution) {
      const auto [found, is_new] = declared_.try_emplace(solution->name);
      if (is_new) found->second = declared(*solution, reports);
      return !found->second;
    });
  }
  std::erase_if(jobs, [](const Job& job) { return job.solutions.empty(); });
  return jobs;
}

void GradientJudge::note_configuration(const Job& job, const Solution& solution,
                                       GradientReport& report) const {
  if (options_.configurator != nullptr)
    report.configuration = options_.configurator->record_of(job, solution);
  if (!report.configuration) return;
  const ConfigurationRecord& chosen = *report.configuration;
  report.rows.push_back({"configuration", configuration_text(chosen.values), RowStatus::ok,
                         fmt::format("{}{}, {}", chosen.source, chosen.key ? " " + *chosen.key : "",
                                     report.direction)});
}

GradientReport GradientJudge::judge(const Job& job, const PreparedWorkload& workload,
                                    const Solution& solution, const BuildResult& build,
                                    const EvaluateOptions& options) {
  GradientReport report;
  report.definition = job.definition->name;
  report.workload = job.workload->record.workload.uuid;
  report.solution = solution.name;
  report.seed = workload.seed;
  report.direction = direction_name(options_.direction);
  note_configuration(job, solution, report);
  report.reproduce = command_of(report, options_.is_emulated);
  if (!build.built) {
    report.add(
        {"build", solution.name, RowStatus::wrong, printable(build.cause + "\n" + build.log)});
    return report;
  }
  const DeclaredGradient& declared = *declared_.at(solution.name);
  const auto& [forward, backward] = declared.functions;
  report.add({"functions", fmt::format("{}, {}", forward.function, backward.function),
              RowStatus::ok, fmt::format("{} pair", forward.level)});
  const PreparedGradient prepared = prepare_gradient(*job.definition, workload, declared.spec,
                                                     *options.evaluator, {report.seed, false});
  if (const std::string problem = reference_problem(prepared); !problem.empty()) {
    report.outcome = GradientOutcome::reference_not_differentiable;
    report.add({"reference", job.definition->name, RowStatus::note, problem});
    return report;
  }
  judge_built({prepared, solution, build, declared.functions}, options, report);
  return report;
}

void GradientJudge::judge_built(const GradientSubject& subject, const EvaluateOptions& options,
                                GradientReport& report) const {
  for (GradientRow& row : check_gradients(subject, options)) report.add(std::move(row));
  if (report.outcome == GradientOutcome::passed && options_.is_timed)
    time(subject, options, report);
}

void GradientJudge::time(const GradientSubject& subject, const EvaluateOptions& options,
                         GradientReport& report) const {
  DirectedRun run(subject, options, options_.direction);
  run.judge();
  if (!run.is_finished() && run.begin_timing() &&
      take_times(run, options_.direction, report.times) && run.prove() && run.end_timing())
    return;
  const auto& details = run.finish().kbench;
  report.add({"timing", "", RowStatus::wrong,
              details && details->cause ? *details->cause : "a timed call failed"});
}

}  // namespace kbench
