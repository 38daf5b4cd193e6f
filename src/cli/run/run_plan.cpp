#include "cli/run/run_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

#include "cli/judging/running.hpp"
#include "cli/run/shard_part.hpp"
#include "judge/derive/sweep.hpp"
#include "judge/timed_reference.hpp"
#include "kernels/registry/sidecar.hpp"
#include "schema/config.hpp"
#include "schema/scan.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

std::size_t with_bits_reversed(std::size_t number, std::size_t range) {
  std::size_t out = 0;
  for (; range > 1; range /= 2, number /= 2) out = 2 * out + number % 2;
  return out;
}

// The order of van der Corput, of which every beginning is spread over all.
template <class T>
std::vector<T> spread(std::vector<T> all) {
  const std::size_t range = std::bit_ceil(all.size());
  std::vector<T> out;
  for (std::size_t i = 0; i < range; ++i) {
    const std::size_t at = with_bits_reversed(i, range);
    if (at < all.size()) out.push_back(std::move(all[at]));
  }
  return out;
}

std::size_t count_definitions(const std::set<WorkloadKey>& workloads) {
  std::set<std::string> names;
  for (const auto& [definition, uuid] : workloads) names.insert(definition);
  return names.size();
}

WorkloadKey key_of(const Job& job) {
  return {job.definition->name, job.workload->record.workload.uuid};
}

}  // namespace

std::set<WorkloadKey> sample(const std::vector<WorkloadKey>& workloads, std::size_t limit) {
  std::set<WorkloadKey> seen;
  std::map<std::string, std::size_t> numbers;
  std::vector<std::vector<WorkloadKey>> by_definition;
  for (const WorkloadKey& key : workloads) {
    if (!seen.insert(key).second) continue;
    const auto [number, is_new] = numbers.try_emplace(key.first, by_definition.size());
    if (is_new) by_definition.emplace_back();
    by_definition[number->second].push_back(key);
  }
  for (auto& of_one : by_definition) of_one = spread(std::move(of_one));
  by_definition = spread(std::move(by_definition));
  limit = std::min(limit, seen.size());
  std::set<WorkloadKey> out;
  for (std::size_t round = 0; out.size() < limit; ++round)
    for (const auto& of_one : by_definition)
      if (round < of_one.size() && out.size() < limit) out.insert(of_one[round]);
  return out;
}

std::string take_sample(std::vector<std::vector<Job>>& jobs, std::size_t limit) {
  std::vector<WorkloadKey> keys;
  for (const auto& of_target : jobs)
    for (const Job& job : of_target) keys.push_back(key_of(job));
  const std::set<WorkloadKey> all(keys.begin(), keys.end());
  const std::set<WorkloadKey> taken = sample(keys, limit);
  for (auto& of_target : jobs)
    std::erase_if(of_target, [&](const Job& job) { return !taken.contains(key_of(job)); });
  return fmt::format("the sample has {} of {} workloads, and {} of {} definitions\n", taken.size(),
                     all.size(), count_definitions(taken), count_definitions(all));
}

namespace {

namespace fs = std::filesystem;

bool writes_elsewhere(const RunCommand& c) { return !c.no_save && !c.out.empty(); }

// Records of earlier verdicts: `known`, or what a run that resumes finds where it writes.
std::vector<Stored<Trace>> done_for(const RunCommand& c, const std::vector<Stored<Trace>>& known,
                                    Target& target, Diagnostics& out) {
  if (!c.resume) return known;
  if (c.part && c.part->plan) return {};  // leave_out_recorded() goes by the plan
  if (!writes_elsewhere(c)) return std::move(target.set.traces);
  if (!is_folder(fs::path(c.out) / "traces")) return {};  // nothing was written so far
  return load_trace_set(c.out, {false, true, 0, false, false}, out).traces;
}

// Settings for what is in none of the trace sets have no effect.
void check_config_names(const Source& config, const std::vector<Target>& targets,
                        Diagnostics& reports) {
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

// Loads the kernels that the command is about; returns nothing where it is about none.
std::optional<KernelSet> kernels_of(const RunCommand& c, Diagnostics& reports) {
  if (c.kernels.empty() && !c.contract) return std::nullopt;
  return load_kernels({c.kernels, c.root, false, false}, reports);
}

// Puts the sizes of the sweep in the place of each definition's one workload. The jobs' lines
// become the target's.
void sweep_jobs(const Sweep& sweep, Target& target, std::vector<Job>& jobs, Diagnostics& out) {
  std::map<const Definition*, std::size_t> counts;
  for (const Job& job : jobs) ++counts[job.definition];
  std::vector<Stored<Trace>> lines;
  std::vector<const Job*> made_of;  // origin of each line
  for (const Job& job : jobs) {
    if (counts[job.definition] == 1) {
      for (Stored<Trace>& line : sweep_workloads(*job.definition, *job.workload, sweep, out)) {
        lines.push_back(std::move(line));
        made_of.push_back(&job);
      }
    } else if (std::exchange(counts[job.definition], 0) > 1) {
      out.error({"--sweep"},
                fmt::format("a sweep is of one workload, and several of {} are selected",
                            job.definition->name),
                "choose one with --workload: all else of it stays as it is");
    }
  }
  std::vector<Job> swept;
  for (const Job* job : made_of) swept.push_back(*job);
  target.workloads = std::move(lines);
  for (std::size_t i = 0; i < swept.size(); ++i) swept[i].workload = &target.workloads[i];
  jobs = std::move(swept);
}

// Selection with the baseline, whose references become part of the trace sets.
Selection selection_in(std::vector<Target>& targets, const RunCommand& c,
                       const Settings& settings) {
  Selection selection = selection_of(c, settings);
  if (c.baseline.empty()) return selection;
  for (Target& target : targets) add_references(c.baseline, target.set);
  if (!selection.solutions.empty()) selection.solutions.push_back(c.baseline);
  return selection;
}

// Narrows the plan to a sample of the jobs, and to a shard of that.
void narrow(const RunCommand& c, Plan& plan, Diagnostics& reports) {
  if (c.limit > 0) plan.sample = take_sample(plan.jobs, c.limit);
  if (c.part) keep_shard(plan, *c.part, reports);
  if (c.part && c.part->plan && c.resume) leave_out_recorded(plan, *c.part, c.out);
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

// Folder of traces/; "" for nowhere.
fs::path out_for(const RunCommand& c, const TraceSet& set) {
  if (c.no_save) return {};
  return c.out.empty() ? set.root : fs::path(c.out);
}

Plan plan_run(const RunCommand& c, const Settings& settings,
              const std::vector<Stored<Trace>>& known, Diagnostics& reports) {
  Plan plan;
  plan.targets = load_targets(c.traces, c.root, {c.resume && !writes_elsewhere(c)}, reports);
  if (settings.file) check_config_names(*settings.file, plan.targets, reports);
  const Selection selection = selection_in(plan.targets, c, settings);
  const Sweep sweep = read_sweep(c.sweep, reports);
  const auto kernels = kernels_of(c, reports);
  // Workloads without a kernel are no news where the libraries are missing.
  if (kernels && has_none(*kernels) && reports.errors() > 0) plan.targets.clear();
  for (Target& target : plan.targets) {
    if (kernels)
      plan.kernels.push_back(c.contract ? plan_contract(target, *kernels, *c.contract, reports)
                                        : choose_kernels(target, *kernels, reports));
    plan.jobs.push_back(
        plan_jobs(target.set, target.workloads, selection, reports, &declared_parameters));
    if (kernels) plan.jobs.back() = with_choices(std::move(plan.jobs.back()), plan.kernels.back());
    if (!c.sweep.empty()) sweep_jobs(sweep, target, plan.jobs.back(), reports);
    plan.done.push_back(done_for(c, known, target, reports));
  }
  narrow(c, plan, reports);
  return plan;
}

bool can_write_all(const RunCommand& c, const Plan& plan, Diagnostics& reports) {
  bool good = true;
  for (std::size_t i = 0; i < plan.targets.size(); ++i) {
    if (!plan.jobs[i].empty()) good &= can_write(out_for(c, plan.targets[i].set), reports);
  }
  return good;
}

// Sources of verdicts: all in the trace sets but traces, and what the command line names.
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
