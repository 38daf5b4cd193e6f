// kbench plan: docs/cluster.md.
#include "cluster/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <system_error>

#include "base/text.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "cli/run/shard_part.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

struct PlanCommand {
  RunCommand run;
  std::int64_t shards = 0;  // 0: the target decides
  double target_s = 600;
  std::vector<std::string> costs;
  std::string gpu;
  std::string file = "plan.jsonl";
  std::vector<GivenOption> given;  // options of kbench run
};

bool is_in_cuda(const Plan& plan) {
  for (const auto& jobs : plan.jobs)
    for (const Job& job : jobs)
      for (const Solution* solution : job.solutions)
        if (solution->spec.language == Language::cuda) return true;
  return false;
}

PlanHead head_of(const PlanCommand& c, const Plan& plan, std::int64_t shards) {
  PlanHead head;
  head.shards = shards;
  std::vector<GivenOption> given = c.given;
  const bool has_root = std::any_of(given.begin(), given.end(),
                                    [](const GivenOption& one) { return one.name == "root"; });
  if (!has_root) given.push_back({"root", {plan.targets.front().set.root.string()}});
  head.options = planned_options(given);
  head.files = planned_files(given);
  if (!c.gpu.empty()) head.gpu = c.gpu;
  head.is_built = is_in_cuda(plan);
  return head;
}

void say_plan(const PlanCommand& c, const PlanHead& head, const std::vector<PlanUnit>& units,
              std::size_t pairs) {
  const auto costs = shard_costs(units, head.shards);
  const double longest = *std::max_element(costs.begin(), costs.end());
  double total = 0;
  for (const double cost : costs) total += cost;
  const double ideal = total / static_cast<double>(head.shards);
  tell(fmt::format("{}: {} in {}, the longest {} ({:.2f} of an equal part)\n", c.file,
                   counted(pairs, "pair"), counted(static_cast<std::size_t>(head.shards), "shard"),
                   human_time(1e6 * longest), ideal > 0 ? longest / ideal : 1));
}

int write_plan(const PlanCommand& c, const Settings& settings, Diagnostics reports) {
  const Plan plan = plan_run(c.run, settings, {}, reports);
  if (plan.targets.size() > 1)
    reports.error({}, fmt::format("a plan is of one trace set, not of {}", plan.targets.size()));
  JudgingCosts costs;
  for (const std::string& path : c.costs) {
    try {
      if (const std::size_t left_out = costs.note_records(path); left_out > 0)
        reports.warning({path}, fmt::format("{} left out: edited, or of no trusted key",
                                            counted(left_out, "record")));
    } catch (const std::system_error& error) {
      reports.error({path}, error.code().message(),
                    "--costs takes records, as kbench run and gather write them");
    }
  }
  if (reports.errors() > 0 || plan.count_jobs() == 0) {
    if (reports.errors() == 0) tell("nothing to plan: the options select no pair\n");
    return exit_after(reports, exit_undecided);
  }
  const std::vector<PlannedWork> work = work_of(plan, costs, true);
  std::size_t pairs = 0;
  for (const PlannedWork& one : work) pairs += one.unit.solutions.size();
  const std::int64_t wanted = c.shards > 0 ? c.shards : shards_for(work, 1000 * c.target_s);
  const auto shards = std::min(wanted, static_cast<std::int64_t>(pairs));  // no shard is empty
  const auto units = divide(work, shards);
  const PlanHead head = head_of(c, plan, shards);
  const bool is_written = write_output(c.file, plan_text(head, units), reports);
  if (is_written) say_plan(c, head, units, pairs);
  return exit_after(reports, is_written ? exit_good : exit_environment);
}

// "90", "90s", "10m", "2h". Other texts give nothing.
std::optional<double> parse_seconds(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  if (error != std::errc() || !(number > 0)) return std::nullopt;
  if (unit.empty() || unit == "s") return number;
  if (unit == "m") return 60 * number;
  return unit == "h" ? std::optional(3600 * number) : std::nullopt;
}

void declare_division(CommandLine line, PlanCommand& c) {
  line.add_option("--shards N", c.shards, "Into so many shards; default: by --target")
      .check(integer(1, 1000000));
  line.add_read(
          "--target TIME",
          [&c](const std::string& text) {
            const auto seconds = parse_seconds(text);
            if (!seconds) throw std::runtime_error(text + " is no time: 90s, 10m, 2h");
            c.target_s = *seconds;
          },
          "Into shards that take about so long; default 10m")
      .excludes("--shards");
  line.add_option("--costs PATH...", c.costs,
                  "Records that say how long judging takes; what none tells of is like the rest "
                  "of its definition, or takes a second");
  line.add_option("--gpu WORD", c.gpu,
                  "Records from a GPU count only where its name has this word: h100; see "
                  "kbench gather");
  line.add_option("-o,--out FILE", c.file, "The plan's file; default plan.jsonl");
}

}  // namespace

std::function<int()> declare_plan(CommandLine line) {
  auto c = std::make_shared<PlanCommand>();
  declare_run_options(line, c->run);
  remove_unplanned(line);
  declare_division(line, *c);
  return [c, line] {
    for (GivenOption& option : line.given()) {
      const std::string_view own[] = {"shards", "target", "costs", "gpu", "out"};
      if (std::find(std::begin(own), std::end(own), option.name) == std::end(own))
        c->given.push_back(std::move(option));
    }
    return with_settings(c->run, [&](const Settings& settings, Diagnostics reports) {
      return write_plan(*c, settings, std::move(reports));
    });
  };
}

}  // namespace kbench
