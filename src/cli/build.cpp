// kbench build: docs/build.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/match.hpp"
#include "base/text.hpp"
#include "build/gpu_architecture.hpp"
#include "build/kernel_report.hpp"
#include "cli/command.hpp"
#include "cli/run_options.hpp"
#include "cli/running.hpp"
#include "cli/targets.hpp"
#include "cli/terminal.hpp"
#include "evaluate/builds.hpp"
#include "evaluate/run_caches.hpp"
#include "report/grid.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

struct BuildCommand {
  RunCommand run;
  std::vector<std::string> solutions;
  std::vector<std::string> architectures;
  bool explain = false;
  std::string format = "table";
};

// Of each definition those that are chosen; what stands for none is reported.
std::vector<Job> jobs_for(const BuildCommand& c, const TraceSet& set, Diagnostics& reports) {
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
    if (chosen.empty() ||
        std::find(chosen.begin(), chosen.end(), stored.record.name) != chosen.end())
      job.solutions.push_back(&stored.record);
  }
  return {job};
}

// What became of a solution.
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

Grid grid_of(const Builds& builds, const std::vector<Job>& jobs) {
  Grid grid;
  grid.columns = {
      {"solution"}, {"language"}, {"outcome"}, {"cached"}, {"cause", "", Shown::where_any}};
  for (const Job& job : jobs) {
    for (const Solution* solution : job.solutions) {
      const Outcome outcome = outcome_of(builds, *solution);
      const bool is_cached = outcome.result != nullptr && outcome.result->from_cache;
      grid.rows.push_back({{solution->name},
                           {std::string(name_of(solution->spec.language))},
                           {outcome.word, "", colour_of(outcome)},
                           {is_cached, is_cached ? "yes" : "no"},
                           outcome.cause.empty() ? GridCell{} : GridCell{outcome.cause}});
    }
  }
  return grid;
}

constexpr int block_sizes[] = {64, 128, 256, 512, 1024};

GridCell bytes_cell(std::int64_t bytes) { return {bytes}; }

std::vector<GridCell> cells_of(const Solution& solution, const KernelReport& kernel) {
  std::vector<GridCell> cells = {{solution.name},
                                 {kernel.kernel},
                                 {kernel.architecture},
                                 {std::int64_t{kernel.registers}},
                                 bytes_cell(kernel.spill_store_bytes + kernel.spill_load_bytes),
                                 bytes_cell(kernel.stack_bytes),
                                 bytes_cell(kernel.shared_bytes),
                                 bytes_cell(kernel.constant_bytes)};
  const GpuArchitecture* const architecture = find_architecture(kernel.architecture);
  for (const int threads : block_sizes) {
    if (architecture == nullptr) {
      cells.emplace_back();
      continue;
    }
    const double share = occupancy(*architecture, {kernel.registers, kernel.shared_bytes}, threads);
    cells.push_back({share, fmt::format("{:.0f}%", 100 * share)});
  }
  return cells;
}

Grid explain(const Solution& solution, const BuildResult& result) {
  Grid grid;
  grid.title = solution.name;
  grid.columns = {{"solution", "", Shown::never},
                  {"kernel"},
                  {"architecture"},
                  {"registers"},
                  {"spill_bytes", "spills"},
                  {"stack_bytes", "stack"},
                  {"shared_bytes", "shared"},
                  {"constant_bytes", "", Shown::never}};
  for (const int threads : block_sizes)
    grid.columns.push_back({fmt::format("occupancy_{}", threads), fmt::format("of {}", threads)});
  for (const KernelReport& kernel : kernel_reports(result.log))
    grid.rows.push_back(cells_of(solution, kernel));
  return grid;
}

void tell_warnings(const Solution& solution, const BuildResult& result) {
  for (const CompilerWarning& warning : compiler_warnings(result.log))
    tell(fmt::format("{} {}:{}: warning: {}\n", solution.name, warning.file, warning.line,
                     warning.text));
}

void print_builds(const BuildCommand& c, const Builds& builds, const std::vector<Job>& jobs) {
  std::vector<Grid> grids;
  if (!c.explain) grids.push_back(grid_of(builds, jobs));
  for (const Job& job : jobs) {
    for (const Solution* solution : job.solutions) {
      const Outcome outcome = outcome_of(builds, *solution);
      if (c.explain && outcome.word != "built")
        tell(fmt::format("{} {}: {}\n", outcome.word, solution->name, outcome.cause));
      if (!c.explain || outcome.result == nullptr) continue;
      tell_warnings(*solution, *outcome.result);
      if (outcome.result->built) grids.push_back(explain(*solution, *outcome.result));
    }
  }
  std::erase_if(grids, [](const Grid& grid) { return grid.rows.empty(); });
  print(write_grids(grids, c.format, {terminal().colour_out, terminal().width}));
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
  for (const Target& target : load_targets({}, c.run.root, {}, reports)) {
    const std::vector<Job> jobs = jobs_for(c, target.set, reports);
    ReportPrinter().print(reports);
    if (reports.errors() > 0) return exit_input;
    const RunOptions options = run_options_of(c.run, settings.config);
    RunCaches caches(options);
    Toolchain toolchain = toolchain_for(options, caches);
    toolchain.architectures = c.architectures;
    const Builds builds = build_all(jobs, toolchain, options.build_jobs);
    print_builds(c, builds, jobs);
    caches.log_problems();
    status = status_of(builds);
  }
  ReportPrinter().print(reports);
  return reports.errors() > 0 ? exit_input : status;
}

std::string check_architecture(const std::string& word) {
  if (find_architecture(word) != nullptr) return "";
  std::vector<std::string> known;
  for (const GpuArchitecture& one : gpu_architectures()) known.emplace_back(one.name);
  return "it is one of " + join(known, ", ");
}

}  // namespace

std::function<int()> declare_build(CLI::App& app) {
  auto c = std::make_shared<BuildCommand>();
  app.add_option("solution", c->solutions,
                 "Solutions (exactly, else by unique prefix); default: all")
      ->option_text("[SOLUTION]...");
  app.add_option("--root", c->run.root, "The trace set")->option_text("DIR");
  app.add_flag("--explain", c->explain,
               "What each kernel of CUDA takes: registers, spills, memory, and how many of the "
               "threads that a multiprocessor can hold are there, by the size of a block");
  app.add_option("--arch", c->architectures,
                 "Architectures that CUDA is built for: sm_80,sm_90; default: of the solution's "
                 "target hardware, else sm_90")
      ->delimiter(',')
      ->check(CLI::Validator(&check_architecture, "", ""))
      ->option_text("ARCH,...");
  declare_building(app, c->run);
  app.add_option("--format", c->format, join(grid_format_names(), ", "))
      ->check(CLI::IsMember(grid_format_names()))
      ->option_text("FORMAT");
  return [c] {
    return with_settings(c->run, [&](const Settings& settings, Diagnostics reports) {
      return build_all_chosen(*c, settings, std::move(reports));
    });
  };
}

}  // namespace kbench
