// kbench shard: docs/sharding.md.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "base/text.hpp"
#include "cli/derive/shard_plan.hpp"
#include "cli/judging/run_settings.hpp"
#include "cli/judging/running.hpp"
#include "cli/run/run_plan.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/derive/discover.hpp"
#include "problem/rank_protocol.hpp"
#include "schema/config.hpp"

namespace kbench {
namespace {

struct ShardCounts {
  RunTotals totals;
  bool input_errors = false;
};

int exit_status(const ShardCounts& counts) {
  const RunTotals& t = counts.totals;
  if (t.interrupted) return exit_interrupted;
  if (t.broken) return exit_environment;
  if (counts.input_errors || t.abandoned > 0) return exit_input;
  if (t.failed > 0) return exit_negative;
  return t.passed > 0 ? exit_good : exit_undecided;
}

// Jobs of one target, and the plans by which they are judged.
struct Work {
  const TraceSet& set;
  const std::vector<Job>& jobs;
  const ShardPlans& plans;

  const PairPlan& plan_of(const Job& job, const Solution& solution) const {
    return plans.at({job.workload->record.workload.uuid, solution.name});
  }
};

struct FoundShards {
  ShardCounts counts;
  std::vector<ShardRow> rows;
};

// Configurator of ranks, whose calls have other lengths and maybe another fastest configuration.
std::shared_ptr<Configurator> configurator_of(const ShardCommand& c, const Work& work) {
  ConfiguringPlan configuring = c.run.configuration;
  configuring.purpose_of = [&c, &work](const Job& job, const Solution& solution,
                                       const Problem& problem) {
    const PairPlan& plan = work.plan_of(job, solution);
    const std::vector<ShardLine> lines = plan.shard.lines();
    const std::int64_t ranks = rank_count(lines);
    CallPurpose call;
    call.purpose.context = "sharded";
    call.purpose.direction = c.direction;
    call.purpose.shard = ShardPart{axes_text(lines), ranks};
    const Problem local = mesh_problem(problem, lines);
    call.axes = local.axes;
    // Ranks that run at once have a part of the threads each.
    const bool has_fewer_threads = plan.shard.transport->at_once && ranks > 1;
    if (!plan.knows_ranks && !has_fewer_threads)
      call.alone = call_alone(*job.definition, job.workload->record.workload, local);
    return call;
  };
  return std::make_shared<ConfiguredJobs>(std::move(configuring));
}

// Returns the log of a failed build without the cause with which it begins, where that was printed.
std::string_view rest_of_log(const Evaluation& evaluation, bool is_cause_printed) {
  std::string_view log = evaluation.log;
  const std::string cause = evaluation.kbench ? evaluation.kbench->cause.value_or("") : "";
  if (is_cause_printed && log.starts_with(cause)) log.remove_prefix(cause.size());
  return trim(log);
}

void shard_target(const ShardCommand& c, const Settings& settings, const Work& work,
                  FoundShards& found) {
  RunOptions options = run_options_of(c.run, settings.config);
  options.configurator = configurator_of(c, work);
  ShardResult last;
  options.judges_all = true;  // a failure with one kind of ranks says nothing of another
  options.judge_pair = [&](const Job& job, const PreparedWorkload& workload,
                           const Solution& solution, const BuildResult& build,
                           const EvaluateOptions& how) {
    last = {};
    const StageSpan span(how.stages, {"shards", job.definition->name,
                                      job.workload->record.workload.uuid, solution.name});
    const PairPlan& plan = work.plan_of(job, solution);
    if (!plan.gradient) return evaluate_sharded({workload, solution, build, how}, plan.shard, last);
    return evaluate_sharded_gradient({workload, solution, build, how}, plan.shard,
                                     {*job.definition, plan.spec, *plan.gradient}, last);
  };
  ReportPrinter printer;
  RunEvents events = progress_events(printer, found.counts.input_errors);
  events.finished = [&](const Job& job, const Solution& solution, const Trace& trace) {
    progress().advance(1);
    found.rows.push_back({work.plan_of(job, solution).shard, last, trace});
    if (c.format == "text") print(shard_text(found.rows.back()));
    if (trace.evaluation->status != Status::compile_error) return;
    const std::string_view log = rest_of_log(*trace.evaluation, c.format == "text");
    if (!log.empty()) tell(fmt::format("{}\n", log));
  };
  add(found.counts.totals, run_jobs(work.set, work.jobs, options, events, interrupted()));
}

int shard(const ShardCommand& c, const Settings& settings, Diagnostics reports) {
  Plan plan = plan_run(c.run, settings, {}, reports);
  FoundShards found;
  std::vector<ShardPlans> plans;
  for (std::size_t i = 0; i < plan.targets.size(); ++i)
    plans.push_back(plan_shards(c, plan.targets[i].set, plan.jobs[i], reports));
  ReportPrinter().print(reports);
  found.counts.input_errors = reports.errors() > 0;
  for (std::size_t i = 0; i < plan.targets.size(); ++i)
    shard_target(c, settings, {plan.targets[i].set, plan.jobs[i], plans[i]}, found);
  if (c.format == "json") print(shard_json(found.rows));
  if (found.rows.empty() && !found.counts.input_errors)
    tell("nothing to do: no solution and workload of this definition are selected\n");
  return exit_status(found.counts);
}

// Asks the reference alone, in the place of solutions: nobody is run.
int discover(const ShardCommand& c, const Settings& settings, Diagnostics reports) {
  Plan plan = plan_run(c.run, settings, {}, reports);
  ReportPrinter printer;
  printer.print(reports);
  ShardCounts counts{{}, reports.errors() > 0};
  RunOptions options = run_options_of(c.run, settings.config);
  const std::int64_t ranks = c.ranks > 0 ? c.ranks : default_ranks(nullptr);
  std::vector<DiscoveryRow> rows;
  options.configurator = nullptr;
  options.instead = [&](const Workplace& place) {
    rows.push_back({place.job.definition->name, place.job.workload->record.workload.uuid, ranks,
                    discover_shardings(place, ranks)});
    if (c.format == "text") print(discovery_text(rows.back()));
    const auto& found = rows.back().found;
    const bool any = std::any_of(found.begin(), found.end(), std::mem_fn(&Discovered::is_valid));
    ++(any ? counts.totals.passed : counts.totals.failed);
  };
  for (std::size_t i = 0; i < plan.targets.size(); ++i) {
    for (Job& job : plan.jobs[i]) job.solutions.clear();
    add(counts.totals, run_jobs(plan.targets[i].set, plan.jobs[i], options,
                                progress_events(printer, counts.input_errors), interrupted()));
  }
  if (c.format == "json") print(discovery_json(rows));
  if (counts.totals.passed > 0) counts.totals.failed = 0;  // one way was found
  if (rows.empty() && !counts.input_errors) tell("nothing to do: no workload is selected\n");
  return exit_status(counts);
}

void declare_ranks(CommandLine line, ShardCommand& c) {
  line.add_option("definition DEF", c.definition, "The definition").required();
  line.add_option("-s,--solution NAME", c.run.selection.solutions, "Only these solutions")
      .one_word();
  line.add_option("-n,--ranks N", c.ranks,
                  "Ranks; default: as many as the solution declares, else as there are cores")
      .check(integer(1, worker::max_ranks));
  line.add_option("--axis AXIS", c.axes,
                  "The axis that is cut, or several that are cut together: H_q,H_kv; default: what "
                  "the solution declares first")
      .delimiter(',')
      .one_word();
  line.add_option("--mesh NAME=N[:HOW]", c.mesh,
                  "Ranks in several axes: dp=2,tp=2:sum, each with its way to combine; --axis and "
                  "--tensor then say by which one: M=dp,K=tp")
      .delimiter(',')
      .one_word()
      .excludes("--ranks");
  line.add_option("--tensor NAME=AXIS", c.tensors,
                  "A tensor that is cut by another axis, or by none: C=M, C=replicated")
      .one_word();
  line.add_option("--combine HOW", c.combine,
                  "How the ranks' outputs become one: " + join(combine_names(), ", "))
      .one_of(combine_names());
  line.add_option("--transport T", c.transport,
                  "How ranks run: turn (one after the other) or processes (at once, with "
                  "collectives); default: processes where the solution has a function for ranks")
      .one_of(transport_names());
  line.add_option(
          "--direction D", c.direction,
          "fwd, or bwd: gradients of ranks that get their part of dy, by fwd_with_residuals "
          "and vjp")
      .one_of({"fwd", "bwd"});
  Argument discover = line.add_flag(
      "--discover", c.discover,
      "Try every axis and every way to combine on the reference, and say which are valid");
  for (const char* const choice :
       {"--axis", "--mesh", "--tensor", "--combine", "--transport", "--direction"})
    discover.excludes(choice);
  line.add_flag("--no-timing", c.untimed, "Judge only");
  line.add_flag("--emulate", c.run.emulate,
                "Run solutions in CUDA on the processor, untimed: docs/emulation.md");
  line.add_option("--format FORMAT", c.format, "text or json").one_of({"text", "json"});
}

}  // namespace

std::function<int()> declare_shard(CommandLine line) {
  auto command = std::make_shared<ShardCommand>();
  declare_ranks(line, *command);
  declare_compare_options(line, command->run);
  decline_tuning(line);
  for (const char* const name : {"--definition", "--out", "--cold"}) line.remove(name);
  return [command] {
    command->run.no_save = true;
    command->run.selection.definitions = {command->definition};
    command->run.selection.definitions_said = {command->definition};
    return with_settings(command->run, [&](const Settings& settings, Diagnostics reports) {
      return command->discover ? discover(*command, settings, std::move(reports))
                               : shard(*command, settings, std::move(reports));
    });
  };
}

}  // namespace kbench
