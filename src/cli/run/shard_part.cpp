#include "cli/run/shard_part.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/run/run.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/terminal.hpp"
#include "cluster/gather.hpp"
#include "cluster/shard_folder.hpp"
#include "judge/record.hpp"
#include "kernels/registry/sidecar.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Hashes each record once. A solution's parameters may stand in a file beside it.
class PairDigests {
 public:
  explicit PairDigests(const TraceSet& set) : root_(set.root) {
    for (const auto& stored : set.solutions) files_.emplace(&stored.record, stored.path);
  }

  std::string of(const Job& job, const Solution& solution) {
    const Workload& workload = job.workload->record.workload;
    return pair_digest(known(job.definition, [&] { return content_hash(*job.definition); }),
                       known(&workload, [&] { return content_hash(workload, root_); }),
                       known(&solution, [&] { return hash_of(solution); }));
  }

 private:
  std::string hash_of(const Solution& solution) const {
    std::string hash = content_hash(solution);
    const auto file = files_.find(&solution);
    if (file == files_.end()) return hash;
    const auto sidecar = find_sidecar(file->second);
    return sidecar ? hash + "\n" + read_file(*sidecar) : hash;
  }

  template <class Make>
  const std::string& known(const void* record, const Make& make) {
    std::string& hash = hashes_[record];
    if (hash.empty()) hash = make();
    return hash;
  }

  fs::path root_;
  std::map<const Solution*, std::string> files_;
  std::map<const void*, std::string> hashes_;
};

PlannedWork work_of_job(const Job& job, const JudgingCosts& costs) {
  PlannedWork work;
  work.unit.definition = job.definition->name;
  work.unit.workload = job.workload->record.workload.uuid;
  work.reference_ms = costs.reference_ms(work.unit.definition, work.unit.workload);
  return work;
}

PairKey key_of(const Job& job, const Solution& solution) {
  return {job.definition->name, job.workload->record.workload.uuid, solution.name};
}

// The pairs of a shard, each with its digest.
std::map<PairKey, std::string> pairs_of(const std::vector<PlanUnit>& units, std::int64_t shard) {
  std::map<PairKey, std::string> pairs;
  for (const PlanUnit& unit : units)
    for (std::size_t i = 0; unit.shard == shard && i < unit.solutions.size(); ++i)
      pairs[{unit.definition, unit.workload, unit.solutions[i]}] = unit.digests[i];
  return pairs;
}

std::string name_of(const PairKey& key) {
  const auto& [definition, workload, solution] = key;
  return fmt::format("{} on workload {} of {}", solution, workload, definition);
}

// Takes the pairs of the job that are in `pairs` out of there.
Job taken_from(std::map<PairKey, std::string>& pairs, const Job& job, PairDigests& digests,
               Diagnostics& reports) {
  Job kept{job.definition, job.workload, {}};
  for (const Solution* solution : job.solutions) {
    const auto found = pairs.find(key_of(job, *solution));
    if (found == pairs.end()) continue;
    if (found->second.empty() || found->second == digests.of(job, *solution))
      kept.solutions.push_back(solution);
    else
      reports.error({}, fmt::format("{} is another since it was planned", name_of(found->first)),
                    "make another plan");
    pairs.erase(found);
  }
  return kept;
}

bool say_who_holds(const std::optional<ShardState>& holder, bool& is_said) {
  if (!std::exchange(is_said, true))
    tell(holder ? fmt::format("waiting: process {} of {} has this shard\n", holder->pid,
                              printable(holder->node))
                : "waiting: another process has this shard\n");
  return !interrupted();
}

int run_part(RunCommand& command, const WorkPart& part, const fs::path& out) {
  const fs::path folder = shard_folder(out, part.number);
  bool is_said = false;
  watch_interrupts();
  auto lease =
      ShardLease::take(folder, [&](const auto& holder) { return say_who_holds(holder, is_said); });
  if (!lease) return exit_interrupted;
  command.out = folder.string();
  command.resume = true;
  command.part = part;
  // The number of a solution's failures elsewhere depends on how the work was divided.
  command.options.judges_all = true;
  command.options.run_of =
      [pairs = pairs_of(part.plan->units, part.number),
       run = RunRecord{part.plan->digest, part.number, lease->attempt(), lease->node(), "", {}}](
          const Job& job, const Solution& solution) {
        RunRecord one = run;
        one.pair = pairs.at(key_of(job, solution));
        return one;
      };
  bool is_lost = false;
  command.options.check_out = [&lease, &is_lost] {
    try {
      lease->check();
    } catch (...) {
      is_lost = true;
      stop_work();
      throw;
    }
  };
  int status = exit_environment;
  try {
    status = run(command);
    if (is_lost) status = exit_environment;  // a lost lease is no interrupt
  } catch (...) {
    lease->end(status);
    throw;
  }
  lease->end(status);
  return status;
}

}  // namespace

std::vector<PlannedWork> work_of(const Plan& plan, const JudgingCosts& costs, bool with_digests) {
  std::vector<PlannedWork> all;
  std::set<PairKey> seen;
  for (std::size_t i = 0; i < plan.targets.size(); ++i) {
    PairDigests digests(plan.targets[i].set);
    for (const Job& job : plan.jobs[i]) {
      PlannedWork work = work_of_job(job, costs);
      for (const Solution* solution : job.solutions) {
        if (!seen.insert(key_of(job, *solution)).second) continue;
        work.unit.solutions.push_back(solution->name);
        work.unit.digests.push_back(with_digests ? digests.of(job, *solution) : "");
        work.pairs_ms.push_back(
            costs.pair_ms(work.unit.definition, work.unit.workload, solution->name));
      }
      if (!work.unit.solutions.empty()) all.push_back(std::move(work));
    }
  }
  return all;
}

void leave_out_recorded(Plan& plan, const WorkPart& part, const fs::path& folder) {
  const Gathered gathered = gather_shard(*part.plan, part.number, folder);
  std::set<PairKey> recorded;
  std::size_t pair = 0;
  for (const PlanUnit& unit : part.plan->units)
    for (const std::string& solution : unit.solutions)
      if (gathered.records[pair++].bytes > 0)
        recorded.emplace(unit.definition, unit.workload, solution);
  for (std::vector<Job>& jobs : plan.jobs) {
    for (Job& job : jobs)
      std::erase_if(job.solutions, [&](const Solution* solution) {
        return recorded.contains(key_of(job, *solution));
      });
    std::erase_if(jobs, [](const Job& job) { return job.solutions.empty(); });
  }
}

void keep_shard(Plan& plan, const WorkPart& part, Diagnostics& reports) {
  auto pairs = part.plan ? pairs_of(part.plan->units, part.number)
                         : pairs_of(divide(work_of(plan, {}, false), part.of), part.number);
  for (std::size_t i = 0; i < plan.targets.size(); ++i) {
    PairDigests digests(plan.targets[i].set);
    std::vector<Job> kept;
    for (const Job& job : plan.jobs[i])
      if (Job one = taken_from(pairs, job, digests, reports); !one.solutions.empty())
        kept.push_back(std::move(one));
    plan.jobs[i] = std::move(kept);
  }
  for (const auto& [key, digest] : pairs)
    reports.error({}, fmt::format("{} is in the plan, and is not there", name_of(key)),
                  "make another plan");
}

int run_shard(const std::string& file, const std::string& shard, const std::string& out,
              const std::vector<GivenOption>& given) {
  Diagnostics reports;
  const auto planned = read_planned_shard(file, shard, given, reports);
  if (!planned || !adopt_plan(*planned->part.plan, file, out, reports))
    return exit_after(reports, exit_input);
  return run_part(*planned->command, planned->part, out);
}

}  // namespace kbench
