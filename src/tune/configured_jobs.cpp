#include "tune/configured_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "kernels/registry/methods.hpp"
#include "kernels/registry/registry.hpp"
#include "problem/bind.hpp"
#include "schema/record_signature.hpp"
#include "schema/trace.hpp"

namespace kbench {

ConfiguredJobs::ConfiguredJobs(ConfiguringPlan plan)
    : plan_(std::move(plan)),
      selector_(plan_.policy, plan_.store.get(),
                plan_.tune_now
                    ? Autotune([this](const SelectionRequest&) { return plan_.tune_now(*task_); })
                    : Autotune(),
                plan_.events) {
  for (const Overlay& overlay : plan_.overlays) selector_.push_overlay(overlay);
}

struct ConfiguredJobs::Declared {
  Tunables tunables;
  Methods methods;
  std::vector<std::string> conditions;
  OrderedMap<std::string> compiled;
  std::optional<Solution> called;  // Solution with the function that is called, where another
  bool is_good = true;
  std::string path;

  bool is_plain() const { return tunables.empty() && conditions.empty() && !called && is_good; }
};

namespace {

// Solutions in CUDA and Triton are built all the same, and then wait for a GPU.
std::string why_refused(const Implementation& one, const Solution& solution,
                        const ConfiguringPlan& plan, const Toolchain& toolchain) {
  const bool waits = is_for_gpu(solution.spec.language) && one.backend.device == "gpu";
  if (!plan.host || (waits && find_platform(one.platform)->can_run)) return "";
  return why_not_here(one.platform, one.backend, [&] {
    Host host = plan.host();
    if (toolchain.emulation) host.gpus.emplace_back();
    return host;
  });
}

}  // namespace

// Pass of one call of configured(), which reads each Solution's declarations once.
class ConfiguredJobs::Pass {
 public:
  Pass(ConfiguredJobs& owner, const TraceSet& set, const Toolchain& toolchain, Diagnostics& reports)
      : owner_(owner), set_(set), toolchain_(toolchain), reports_(reports) {}

  std::vector<Job> configured(std::vector<Job> jobs) {
    if (!check_options(jobs)) return {};
    for (Job& job : jobs) configure(job);
    std::erase_if(jobs, [](const Job& job) { return job.solutions.empty(); });
    return jobs;
  }

 private:
  const Declared& declared(const Solution& solution, const Definition& definition) {
    const auto [entry, is_new] = declared_.try_emplace(&solution);
    if (!is_new) return entry->second;
    Declared& one = entry->second;
    const Stored<Solution>* const stored = set_.stored(solution);
    if (stored == nullptr) return one;  // it has no file: it is of a kernel library
    one.path = stored->path;
    const std::size_t before = reports_.errors();
    Sidecar sidecar = checked_sidecar(*stored, definition, reports_);
    if (reports_.errors() == before && is_called_otherwise(solution, sidecar))
      one.called = called_solution(solution, sidecar, definition);
    owner_.conditions_[solution.name] = conditions_digest(sidecar);
    owner_.refusals_[solution.name] =
        why_refused(implementation_of(*stored, sidecar.all), solution, owner_.plan_, toolchain_);
    one.tunables = std::move(sidecar.tunables);
    one.conditions = std::move(sidecar.all.conditions);
    one.methods = std::move(sidecar.methods);
    note_prepare(*stored, one.methods);
    one.is_good = reports_.errors() == before;
    if (!one.tunables.empty()) one.compiled = compiled_parts(solution, toolchain_);
    return one;
  }

  void note_prepare(const Stored<Solution>& stored, const Methods& declared) {
    const auto found = prepare_function(stored.record, declared);
    if (const auto* why = std::get_if<std::string>(&found))
      reports_.error({stored.path}, *why);
    else if (const auto& method = std::get<std::optional<FoundMethod>>(found))
      owner_.prepares_[stored.record.name] = method->function;
  }

  // Options of the command line are for Solutions that declare parameters: for none they are a
  // mistake, and nothing is run in its place.
  bool check_options(const std::vector<Job>& jobs) {
    std::vector<OverlayTarget> targets;
    std::set<const Solution*> seen;
    for (const Job& job : jobs) {
      for (const Solution* solution : job.solutions) {
        const Declared& one = declared(*solution, *job.definition);
        if (!one.tunables.empty() && seen.insert(solution).second)
          targets.push_back({job.definition->name, solution->name, &one.tunables, job.definition,
                             tuning_digest(*solution, one.tunables, one.methods)});
      }
    }
    const bool is_for_none = owner_.plan_.chosen && targets.empty() && !jobs.empty();
    if (is_for_none)
      reports_.error({}, "--cfg: none of the solutions declares parameters",
                     "docs/tuning.md says how one does");
    for (const auto& stored : set_.solutions) {  // overlays may be for Solutions that are not run
      if (!seen.contains(&stored.record))
        targets.push_back({stored.record.definition, stored.record.name});
    }
    const std::size_t before = reports_.errors();
    for (const Overlay& overlay : owner_.plan_.overlays) check_overlay(overlay, targets, reports_);
    return !is_for_none && reports_.errors() == before;
  }

  void configure(Job& job) {
    const bool is_plain = std::all_of(
        job.solutions.begin(), job.solutions.end(),
        [&](const Solution* one) { return declared(*one, *job.definition).is_plain(); });
    if (is_plain) return;
    Diagnostics ignored;  // reported by prepare()
    const auto problem = bind(*job.definition, job.workload->record.workload, Place(), ignored);
    if (!problem) return;
    std::vector<const Solution*> kept;
    for (const Solution* solution : job.solutions) {
      const Declared& one = declared(*solution, *job.definition);
      if (!one.is_good) continue;
      if (const Solution* chosen = chosen_for(job, *problem, *solution, one)) {
        note_conditions(job, facts_of(purpose_of(job, *solution, *problem), *problem, one), *chosen,
                        one);
        kept.push_back(chosen);
      }
    }
    job.solutions = std::move(kept);
  }

  // Returns nullptr where there is no configuration, which is reported.
  const Solution* chosen_for(const Job& job, const Problem& problem, const Solution& solution,
                             const Declared& one) {
    if (one.tunables.empty()) return with_values(solution, one, {});
    const CallPurpose call = purpose_of(job, solution, problem);
    const auto key_of = [&](const Problem& called, const TuningPurpose& purpose) {
      return tuning_key({*job.definition, solution, one.tunables, called, one.methods}, purpose,
                        {machine_parts(cpu(), owner_.plan_.threads), one.compiled});
    };
    const TuningKey key = key_of(problem, call.purpose);
    const Solution plain = one.called.value_or(solution);
    const TuneNowTask task{set_, job, solution, plain, one.tunables, problem, key};
    owner_.task_ = &task;
    SelectionRequest request{one.tunables, key, facts_of(call, problem, one), chosen_by_user(job)};
    if (call.alone)
      request.alone =
          key_of(*call.alone, tuning_purpose(call.purpose.direction, call.purpose.objective));
    if (!owner_.plan_.chosen) request.chosen_by = "the record";
    auto answer = owner_.selector_.select(request);
    owner_.task_ = nullptr;
    if (const auto* none = std::get_if<NoConfiguration>(&answer)) {
      report(*none, one);
      return nullptr;
    }
    auto& selected = std::get<Selected>(answer);
    if (selected.record.borrowed) note_borrowed(selected.record, job, solution, request.facts);
    if (!selected.failures.empty()) note_failures(selected, job, solution);
    selected.record.label = call_label(key);
    const Solution* const configured = with_values(solution, one, selected.record.values);
    owner_.records_[{job.workload, configured}] = std::move(selected.record);
    return configured;
  }

  CallPurpose purpose_of(const Job& job, const Solution& solution, const Problem& problem) const {
    const ConfiguringPlan& plan = owner_.plan_;
    return plan.purpose_of ? plan.purpose_of(job, solution, problem) : CallPurpose{plan.purpose};
  }

  static CallFacts facts_of(const CallPurpose& call, const Problem& problem, const Declared& one) {
    return with_facts(call_facts(problem, one.tunables.implementation), call.axes);
  }

  // Records that are judged again keep their configuration.
  std::optional<Configuration> chosen_by_user(const Job& job) const {
    const auto& evaluation = job.workload->record.evaluation;
    const bool has_one = evaluation && evaluation->kbench && evaluation->kbench->configuration;
    if (owner_.plan_.chosen || !has_one) return owner_.plan_.chosen;
    return evaluation->kbench->configuration->values;
  }

  void report(const NoConfiguration& none, const Declared& one) {
    if (!said_.insert(none.message).second) return;
    reports_.error({one.path}, none.message, join(none.tried, "; "));
  }

  void note_borrowed(const ConfigurationRecord& record, const Job& job, const Solution& solution,
                     const CallFacts& facts) {
    OrderedMap<std::int64_t> here;  // lengths of one rank, for a sharded call
    for (const auto& [name, length] : job.workload->record.workload.axes)
      here[name] = facts.find(name)->value;
    const std::string text = fmt::format(
        "{} on workload {} ({}) has the configuration that was tuned at {}", solution.name,
        job.workload->record.workload.uuid, lengths_text(here), *record.borrowed);
    if (said_.insert(text).second) reports_.warning({}, text, "they share a bucket");
  }

  // Solutions run all the same; that none of these can be used is no mistake of the input.
  void note_failures(const Selected& selected, const Job& job, const Solution& solution) {
    const std::string text = fmt::format(
        "{} on workload {}: of the configurations that were tried none can be used; {} serves",
        solution.name, job.workload->record.workload.uuid, selected.from);
    if (said_.insert(text).second) reports_.warning({}, text, join(selected.failures, "; "));
  }

  const Solution* with_values(const Solution& solution, const Declared& one,
                              const Configuration& values) {
    if (one.tunables.empty() && !one.called) return &solution;
    const Solution*& known = owner_.by_values_[{&solution, configuration_text(values)}];
    if (known != nullptr) return known;
    Solution& made = owner_.solutions_.emplace_back(one.called.value_or(solution));
    if (!one.tunables.empty()) made = with_configuration(std::move(made), one.tunables, values);
    return known = &made;
  }

  void note_conditions(const Job& job, const CallFacts& facts, const Solution& chosen,
                       const Declared& one) {
    std::string broken = broken_condition(one.conditions, facts);
    if (!broken.empty()) owner_.unsupported_[{job.workload, &chosen}] = std::move(broken);
  }

  const CpuFingerprint& cpu() {
    if (!cpu_) cpu_ = cpu_fingerprint();
    return *cpu_;
  }

  ConfiguredJobs& owner_;
  const TraceSet& set_;
  const Toolchain& toolchain_;
  Diagnostics& reports_;
  std::map<const Solution*, Declared> declared_;
  std::optional<CpuFingerprint> cpu_;
  std::set<std::string> said_;
};

std::vector<Job> ConfiguredJobs::configured(const TraceSet& set, std::vector<Job> jobs,
                                            const Toolchain& toolchain, Diagnostics& reports) {
  return Pass(*this, set, toolchain, reports).configured(std::move(jobs));
}

std::optional<ConfigurationRecord> ConfiguredJobs::record_of(const Job& job,
                                                             const Solution& solution) const {
  const auto found = records_.find({job.workload, &solution});
  return found == records_.end() ? std::nullopt : std::optional(found->second);
}

std::string ConfiguredJobs::prepare_of(const Solution& solution) const {
  const auto found = prepares_.find(solution.name);
  return found == prepares_.end() ? "" : found->second;
}

std::string ConfiguredJobs::conditions_of(const Solution& solution) const {
  const auto found = conditions_.find(solution.name);
  return found == conditions_.end() ? "" : found->second;
}

std::string ConfiguredJobs::refusal(const Solution& solution) const {
  const auto found = refusals_.find(solution.name);
  return found == refusals_.end() ? "" : found->second;
}

std::string ConfiguredJobs::unsupported(const Job& job, const Solution& solution) const {
  const auto found = unsupported_.find({job.workload, &solution});
  return found == unsupported_.end() ? "" : found->second;
}

std::string call_label(const TuningKey& key) {
  return stamp_label({key.definition, key.solution, key.version, short_key(key)});
}

}  // namespace kbench
