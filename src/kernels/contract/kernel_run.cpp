#include "kernels/contract/kernel_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/contract/kernel_solutions.hpp"

namespace kbench {

KernelOrigin origin_of(const Implementation& one, const KernelSet& kernels) {
  for (const KernelLibrary& library : kernels.libraries) {
    if (library.path != one.where.file) continue;
    for (const OperatorEntry& entry : library.operators) {
      for (const Kernel& kernel : entry.kernels) {
        if (kernel.symbol == one.symbol && kernel.where.line == one.where.line)
          return {&library, &kernel};
      }
    }
  }
  return {};
}

KernelRecord record_of(const Implementation& one, bool is_exact) {
  KernelRecord record;
  record.op = one.operation;
  record.symbol = one.symbol;
  if (one.key) record.key = key_text(*one.key);
  record.match = is_exact ? "exact" : "fallback";
  record.file = one.where.file;
  record.line = one.where.line;
  return record;
}

namespace {

class KernelChooser {
 public:
  KernelChooser(Target& target, const KernelSet& kernels, Diagnostics& out)
      : target_(target), kernels_(kernels), out_(out), host_(find_host()) {}

  KernelRun choose() {
    for (const Stored<Trace>& workload : target_.workloads) {
      const Definition* const definition = target_.set.definition(workload.record.definition);
      if (definition == nullptr) continue;
      if (!linked_operator(*definition)) {
        unlinked_.try_emplace(definition->name, &workload);
        continue;
      }
      if (!queries_.contains(definition))
        queries_[definition] = query_for(*definition, target_.set, kernels_, out_);
      if (const auto& query = queries_[definition]) choose_for(workload, *definition, *query);
    }
    warn_of_unlinked();
    make_solutions();
    return std::move(run_);
  }

 private:
  // Workload, and the number of the call that is to be judged on it.
  struct Wanted {
    const Definition* definition;
    std::string uuid;
    std::size_t call;
    KernelRecord record;
  };

  void choose_for(const Stored<Trace>& workload, const Definition& definition, Query query) {
    query.host = host_;
    for (const auto& [axis, size] : workload.record.workload.axes) query.axes[axis] = size;
    const Resolution resolution = kernels_.registry.resolve(query);
    if (resolution.chosen == nullptr) return report_miss(workload, query, resolution);
    const Implementation& chosen = *resolution.chosen;
    const std::string& uuid = workload.record.workload.uuid;
    KernelRecord record = record_of(chosen, resolution.is_exact);
    if (chosen.competes) {
      own_.push_back(chosen.symbol);
      run_.choices[{definition.name, uuid, chosen.symbol}] = std::move(record);
    } else {
      wanted_.push_back({&definition, uuid, call_of(chosen, definition), std::move(record)});
    }
  }

  // Warns of all of them at once: a trace set may have many.
  void warn_of_unlinked() {
    if (unlinked_.empty()) return;
    std::vector<std::string> names;
    for (const auto& [name, workload] : unlinked_) names.push_back(name);
    const Stored<Trace>& first = *unlinked_.begin()->second;
    const std::size_t more = names.size() - std::min<std::size_t>(names.size(), 3);
    names.resize(names.size() - more);
    out_.warning({first.path, first.line, 1, "", ""},
                 fmt::format("no kernel is judged on {}{}: linked to no operator",
                             join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""),
                 "a tag \"op:ns::name.overload\" links a Definition");
  }

  void report_miss(const Stored<Trace>& workload, const Query& query,
                   const Resolution& resolution) {
    const Miss miss = miss_of(kernels_.registry, query, resolution);
    out_.warning({workload.path, workload.line, 1, "", ""},
                 fmt::format("no kernel for {}", miss.requested), miss.difference);
    ++run_.missing;
  }

  // Returns the number of the call: each kernel has one a Definition.
  std::size_t call_of(const Implementation& chosen, const Definition& definition) {
    const auto [library, kernel] = origin_of(chosen, kernels_);
    const auto [at, is_new] = numbers_.try_emplace({kernel, &definition}, calls_.size());
    if (!is_new) return at->second;
    std::vector<std::string> problems;  // query_for() has found none
    const auto schema = find_schema(kernels_, chosen.operation);
    calls_.push_back({library, kernel, &definition, *bind_operator(definition, *schema, problems),
                      "", "PlainCall"});
    return at->second;
  }

  void make_solutions() {
    const auto solutions = kernel_solutions(calls_, {}, out_);
    std::erase_if(target_.set.solutions, [&](const Stored<Solution>& one) {
      return std::find(own_.begin(), own_.end(), one.record.name) == own_.end();
    });
    for (const auto& solution : solutions)
      if (solution) target_.set.solutions.push_back(*solution);
    for (auto& [definition, uuid, number, record] : wanted_) {
      if (solutions[number])
        run_.choices[{definition->name, uuid, solutions[number]->record.name}] = std::move(record);
    }
  }

  Target& target_;
  const KernelSet& kernels_;
  Diagnostics& out_;
  Host host_;
  std::map<std::string, const Stored<Trace>*> unlinked_;  // Definitions, a workload of each
  KernelRun run_;
  std::map<const Definition*, std::optional<Query>> queries_;
  std::map<std::pair<const Kernel*, const Definition*>, std::size_t> numbers_;
  std::vector<KernelCall> calls_;
  std::vector<Wanted> wanted_;
  std::vector<std::string> own_;  // solutions of the trace set that serve
};

std::tuple<std::string, std::string, std::string> key_of(const Job& job, const Solution& solution) {
  return {job.definition->name, job.workload->record.workload.uuid, solution.name};
}

}  // namespace

KernelRun choose_kernels(Target& target, const KernelSet& kernels, Diagnostics& diagnostics) {
  return KernelChooser(target, kernels, diagnostics).choose();
}

std::function<std::optional<KernelRecord>(const Job& job, const Solution& solution)>
record_of_kernels(const KernelRun& run) {
  return [&run](const Job& job, const Solution& solution) -> std::optional<KernelRecord> {
    const auto choice = run.choices.find(key_of(job, solution));
    return choice == run.choices.end() ? std::nullopt : std::optional(choice->second);
  };
}

std::vector<Job> with_choices(std::vector<Job> jobs, const KernelRun& run) {
  for (Job& job : jobs) {
    std::erase_if(job.solutions, [&](const Solution* solution) {
      return !run.choices.contains(key_of(job, *solution));
    });
  }
  std::erase_if(jobs, [](const Job& job) { return job.solutions.empty(); });
  return jobs;
}

}  // namespace kbench
