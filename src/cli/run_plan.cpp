#include "cli/run_plan.hpp"

#include <string>
#include <utility>

#include "base/file.hpp"
#include "cli/names.hpp"
#include "cli/running.hpp"
#include "registry/sidecar.hpp"
#include "schema/config.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool writes_elsewhere(const RunCommand& c) { return !c.no_save && !c.out.empty(); }

// What was judged before: `known`, or what a run that resumes finds where it writes.
std::vector<Stored<Trace>> done_for(const RunCommand& c, const std::vector<Stored<Trace>>& known,
                                    Target& target, Diagnostics& out) {
  if (!c.resume) return known;
  if (!writes_elsewhere(c)) return std::move(target.set.traces);
  if (!is_folder(fs::path(c.out) / "traces")) return {};  // nothing was ever written
  return load_trace_set(c.out, {false, true, 0}, out).traces;
}

// Settings for what is in none of the trace sets have no effect.
void check_names(const Source& config, const std::vector<Target>& targets, Diagnostics& reports) {
  std::vector<std::string> definitions;
  std::vector<std::string> op_types;
  for (const Target& target : targets) {
    for (const auto& stored : target.set.definitions) {
      definitions.push_back(stored.record.name);
      op_types.push_back(stored.record.op_type);
    }
    const auto& broken = target.set.broken_definitions;
    definitions.insert(definitions.end(), broken.begin(), broken.end());
  }
  check_config_names(config, definitions, op_types, reports);
}

// Those that the command is about, if it is about some.
std::optional<KernelSet> kernels_of(const RunCommand& c, Diagnostics& reports) {
  if (c.kernels.empty() && !c.contract) return std::nullopt;
  return load_kernels({c.kernels, c.root, false, false}, reports);
}

bool has_none(const KernelSet& kernels) { return kernels.libraries.empty() && !kernels.set; }

}  // namespace

std::size_t Plan::count_jobs() const {
  std::size_t count = 0;
  for (const auto& of_target : jobs) count += of_target.size();
  return count;
}

std::size_t Plan::count_missing() const {
  std::size_t count = 0;
  for (const KernelRun& run : kernels) count += run.missing;
  return count;
}

// Where traces/ is; "" for nowhere.
fs::path out_for(const RunCommand& c, const TraceSet& set) {
  if (c.no_save) return {};
  return c.out.empty() ? set.root : fs::path(c.out);
}

Plan plan_run(const RunCommand& c, const Settings& settings,
              const std::vector<Stored<Trace>>& known, Diagnostics& reports) {
  Plan plan;
  plan.targets = load_targets(c.traces, c.root, {c.resume && !writes_elsewhere(c)}, reports);
  if (settings.file) check_names(*settings.file, plan.targets, reports);
  const Selection selection = selection_of(c, settings);
  const auto kernels = kernels_of(c, reports);
  // That no kernel serves any workload is no news where the libraries are missing.
  if (kernels && has_none(*kernels) && reports.errors() > 0) plan.targets.clear();
  for (Target& target : plan.targets) {
    if (kernels)
      plan.kernels.push_back(c.contract ? plan_contract(target, *kernels, *c.contract, reports)
                                        : choose_kernels(target, *kernels, reports));
    plan.jobs.push_back(
        plan_jobs(target.set, target.workloads, selection, reports, &declared_parameters));
    if (kernels) plan.jobs.back() = with_choices(std::move(plan.jobs.back()), plan.kernels.back());
    plan.done.push_back(done_for(c, known, target, reports));
  }
  return plan;
}

bool can_write_all(const RunCommand& c, const Plan& plan, Diagnostics& reports) {
  bool good = true;
  for (std::size_t i = 0; i < plan.targets.size(); ++i) {
    if (!plan.jobs[i].empty()) good &= can_write(out_for(c, plan.targets[i].set), reports);
  }
  return good;
}

// What verdicts rest on: all in the trace sets but traces, and what the command line names.
std::vector<fs::path> sources_of(const RunCommand& c, const Plan& plan) {
  std::vector<fs::path> sources;
  for (const std::string& path : c.traces)
    if (!fs::is_directory(path)) sources.emplace_back(path);
  for (const std::string& library : c.kernels)  // the sources lie beside the yaml
    sources.push_back(fs::is_directory(library) ? fs::path(library)
                                                : fs::absolute(library).parent_path());
  for (const Target& target : plan.targets)
    for (const Folder folder : {Folder::definitions, Folder::workloads, Folder::solutions})
      sources.push_back(target.set.root / folder_name(folder));
  return sources;
}

}  // namespace kbench
