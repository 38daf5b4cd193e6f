// kbench build: docs/build.md.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/words.hpp"
#include "build/gpu/architecture.hpp"
#include "build/nvrtc.hpp"
#include "cli/judging/configuring.hpp"
#include "cli/judging/planned.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"
#include "cli/judging/running.hpp"
#include "cli/run/build_choice.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/builds.hpp"
#include "judge/run_caches.hpp"
#include "kernels/registry/sidecar.hpp"
#include "report/kernel_profile.hpp"
#include "schema/names.hpp"
#include "schema/targets.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct BuildCommand {
  RunCommand run;
  std::vector<std::string> solutions;
  std::vector<std::string> architectures;
  bool explain = false;
  std::string output;
  std::string format = "table";
};

// Returns a job with the chosen solutions of each definition; a word that names none is reported.
Job job_for(const BuildCommand& c, const TraceSet& set, Diagnostics& reports) {
  std::vector<std::string> names;
  for (const auto& stored : set.solutions) names.push_back(stored.record.name);
  std::vector<std::string> chosen;
  for (const std::string& word : c.solutions) {
    const NameMatch match = match_name(word, names, "solution");
    if (match.name.empty()) reports.error({}, match.message, match.hint);
    chosen.push_back(match.name);
  }
  Job job;
  for (const auto& stored : set.solutions) {
    const bool is_chosen = chosen.empty() || std::find(chosen.begin(), chosen.end(),
                                                       stored.record.name) != chosen.end();
    if (!is_chosen) continue;
    const Definition* const definition = set.definition(stored.record.definition);
    if (definition != nullptr &&
        !can_be_launched(stored, *definition, reports, &declared_parameters))
      continue;
    job.solutions.push_back(&stored.record);
  }
  return job;
}

// Fate of a solution.
struct Outcome {
  std::string word;  // "built", "failed", "refused", "broken"
  std::string cause = {};
  const BuildResult* result = nullptr;
};

Outcome outcome_of(const Builds& builds, const Solution& solution) {
  if (const auto found = builds.refused.find(&solution); found != builds.refused.end())
    return {"refused", found->second};
  if (const auto found = builds.broken.find(&solution); found != builds.broken.end())
    return {"broken", found->second};
  const BuildResult& result = builds.results.at(&solution);
  return {result.built ? "built" : "failed", result.cause, &result};
}

const char* colour_of(const Outcome& outcome) {
  if (outcome.word == "built") return "\033[32m";
  return outcome.word == "refused" ? "\033[33m" : "\033[31m";
}

Grid grid_of(const BuildCommand& c, const Builds& builds, const Job& job) {
  Grid grid;
  grid.columns = {{"solution"}, {"language"}, {"macros", "", Shown::where_any},
                  {"outcome"},  {"cached"},   {"cause", "", Shown::where_any}};
  if (!c.output.empty()) grid.columns.insert(grid.columns.end(), {{"library"}, {"function"}});
  for (const Solution* solution : job.solutions) {
    const Outcome outcome = outcome_of(builds, *solution);
    const bool is_cached = outcome.result != nullptr && outcome.result->from_cache;
    grid.rows.push_back({{solution->name},
                         {std::string(name_of(solution->spec.language))},
                         text_cell(macros_of(*solution)),
                         {outcome.word, "", colour_of(outcome)},
                         {is_cached, is_cached ? "yes" : "no"},
                         text_cell(outcome.cause)});
    if (c.output.empty()) continue;
    PlacedBuild placed;
    if (outcome.word == "built") placed = place_build(*solution, *outcome.result, c.output);
    for (const std::string& text : {placed.library.string(), placed.function})
      grid.rows.back().push_back(text_cell(text));
  }
  return grid;
}

void tell_warnings(const Solution& solution, const BuildResult& result) {
  if (!result.compiled) return;
  for (const CompilerWarning& warning : result.compiled->warnings)
    tell(fmt::format("{} {}:{}: warning: {}\n", solution.name, warning.file, warning.line,
                     warning.text));
  if (result.compiled->no_instructions)
    tell(fmt::format("{}: {}\n", solution.name, *result.compiled->no_instructions));
}

// All that is known, as JSON for programs.
Json explanation_of(const Solution& solution, const Outcome& outcome) {
  Json json = {{"solution", solution.name}, {"outcome", outcome.word}};
  const std::string macros = macros_of(solution);
  json["macros"] = macros.empty() ? Json(nullptr) : Json(macros);
  json["cause"] = outcome.cause.empty() ? Json(nullptr) : Json(outcome.cause);
  const bool is_known = outcome.result != nullptr && outcome.result->compiled;
  json["compiled"] =
      is_known ? Json::parse(to_json(*outcome.result->compiled, Dump::full)) : Json(nullptr);
  return json;
}

void print_explanations(const BuildCommand& c, const Builds& builds, const Job& job) {
  Document explained;
  Json all = Json::array();
  for (const Solution* solution : job.solutions) {
    const Outcome outcome = outcome_of(builds, *solution);
    all.push_back(explanation_of(*solution, outcome));
    const bool is_plain = outcome.word == "built" && !outcome.result->compiled;
    if (outcome.word != "built")
      tell(fmt::format("{} {}: {}\n", outcome.word, solution->name, outcome.cause));
    if (is_plain)
      tell(fmt::format("built {}: only kernels of CUDA are explained\n", solution->name));
    if (outcome.result == nullptr) continue;
    tell_warnings(*solution, *outcome.result);
    if (!outcome.result->compiled) continue;
    for (Grid& grid : compiled_grids(solution->name, *outcome.result->compiled))
      explained.grids.push_back(std::move(grid));
  }
  explained.json = [&all] { return all.dump(2) + "\n"; };
  print_document(explained, c.format);
}

void print_builds(const BuildCommand& c, const Builds& builds, const Job& job) {
  if (job.solutions.empty()) tell("nothing to build: there is no solution\n");
  if (c.explain) return print_explanations(c, builds, job);
  Document document;
  if (!job.solutions.empty()) document.grids.push_back(grid_of(c, builds, job));
  print_document(document, c.format);
}

int status_of(const Builds& builds) {
  if (!builds.broken.empty()) return exit_environment;
  const bool any_failed = std::any_of(builds.results.begin(), builds.results.end(),
                                      [](const auto& one) { return !one.second.built; });
  if (any_failed) return exit_negative;
  return builds.results.empty() ? exit_undecided : exit_good;
}

int build_all_chosen(const BuildCommand& c, const Settings& settings, Diagnostics reports) {
  int status = exit_good;
  const std::vector<Target> targets = load_targets({}, c.run.root, {}, reports);
  if (targets.empty()) ReportPrinter().print(reports);
  for (const Target& target : targets) {
    const Job chosen = job_for(c, target.set, reports);
    const RunOptions options = run_options_of(c.run, settings.config);
    RunCaches caches(options);
    Toolchain toolchain = toolchain_for(options, caches);
    toolchain.architectures = c.architectures;
    BuildChoice choice(c.run.configuration);
    const Job job{nullptr, nullptr,
                  choice.solutions(target.set, chosen.solutions, toolchain, reports)};
    ReportPrinter().print(reports);
    for (const std::string& line : choice.said()) tell(line + "\n");
    if (job.solutions.empty() && reports.errors() > 0) return exit_input;
    Builds builds = build_all({job}, toolchain, options.build_jobs, options.stages);
    for (auto& [solution, result] : builds.results)
      if (c.explain) add_instructions(*solution, toolchain, result);
    print_builds(c, builds, job);
    caches.log_problems();
    status = status_of(builds);
  }
  // Mistakes in others are worse than the fate of these.
  return reports.errors() > 0 && status != exit_environment ? exit_input : status;
}

// The solutions of a shard, and the settings of its plan; false where these are wrong, which is
// reported.
bool take_shard(BuildCommand& c, const std::vector<GivenOption>& given, Diagnostics& reports) {
  std::vector<GivenOption> kept;
  for (const GivenOption& option : given)
    if (option.name != "format" && option.name != "arch" && option.name != "explain")
      kept.push_back(option);
  const auto planned = read_planned_shard(c.run.plan, c.run.shard, kept, reports);
  if (!planned) return false;
  c.run = *planned->command;
  for (const PlanUnit& unit : planned->part.plan->units)
    if (unit.shard == planned->part.number)
      c.solutions.insert(c.solutions.end(), unit.solutions.begin(), unit.solutions.end());
  return true;
}

std::string check_architecture(const std::string& word) {
  if (gpu::find_architecture(word) != nullptr) return "";
  std::vector<std::string> known;
  for (const gpu::Architecture& one : gpu::architectures()) known.emplace_back(one.name);
  return "the known ones are " + join(known, ", ");
}

}  // namespace

std::function<int()> declare_build(CommandLine line) {
  auto c = std::make_shared<BuildCommand>();
  line.add_option("solution [SOLUTION]...", c->solutions,
                  "Solutions (exactly, else by unique prefix); default: all");
  line.add_option("--root DIR", c->run.root, "The trace set");
  line.add_flag("--explain", c->explain,
                "What each kernel of CUDA takes: registers, spills, memory, what its code is made "
                "of, and the share of a multiprocessor's threads that are there by the size of a "
                "block");
  line.add_option("--arch ARCH,...", c->architectures,
                  "Architectures that CUDA is built for: sm_80,sm_90; default: of the solution's "
                  "target hardware, else sm_90")
      .delimiter(',')
      .one_word()  // the next word is a solution
      .check(&check_architecture);
  declare_configuring(line, c->run.configuring);
  decline_tuning(line);
  declare_building(line, c->run);
  line.add_option("-o,--output DIR", c->output,
                  "Put what is built below this folder, where other programs can load it")
      .excludes("--explain");
  declare_format(line, c->format);
  line.add_option("--shard I", c->run.shard,
                  "With --plan: the shard whose solutions are built, or auto");
  line.add_option("--plan FILE", c->run.plan,
                  "What kbench plan has made: the solutions of one shard")
      .needs("--shard")
      .excludes("--root");
  return [c, line] {
    Diagnostics reports;
    if (!c->run.plan.empty() && !take_shard(*c, line.given(), reports))
      return exit_after(reports, exit_input);
    return with_settings(c->run, [&](const Settings& settings, Diagnostics reports) {
      return build_all_chosen(*c, settings, std::move(reports));
    });
  };
}

}  // namespace kbench
