// The processes of a sharded call: one a rank, each with its own inputs and outputs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exec/candidate_process.hpp"
#include "exec/poisoned_outputs.hpp"
#include "exec/rank_hub.hpp"
#include "judge/derive/combine.hpp"
#include "measure/sampling.hpp"
#include "measure/statistics.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

// Task that is done with each rank; nothing where it went well.
using RankTask = std::function<std::optional<CandidateFailure>(std::size_t rank)>;

// Way in which the ranks of a sharded call run.
struct Transport {
  std::string_view name;
  std::string_view doc;
  bool at_once = false;  // ranks can meet in collectives
  // Does it with all ranks; the failure says which rank's it is. Throws what a task throws.
  std::optional<CandidateFailure> (*run)(const RankTask& task, std::size_t ranks, RankHub& hub);
};

// A new one takes its row in ranks.cpp.
const Transport* find_transport(std::string_view name);
std::vector<std::string> transport_names();

// The times of the ranks' calls, in nanoseconds.
struct RankTimes {
  std::vector<Summary> ranks;
  double total_ns = 0;  // sum of medians in turn; at once, median of each sample's slowest rank
};

class Ranks {
 public:
  // `plan` is that of one process; `local` is what each solves and outlives it; `inputs` have the
  // layout of what is called with.
  Ranks(const CandidatePlan& plan, const Problem& local, const std::vector<Inputs>& inputs,
        const std::string& axis, const Transport& transport);

  std::size_t size() const { return ranks_.size(); }
  // Each of these: nothing, or what failed and on which rank.
  std::optional<CandidateFailure> load();
  // Fails also where a rank returns other shapes than it must, or writes beside its outputs.
  std::optional<CandidateFailure> call(const std::vector<Inputs>& inputs);
  // Times what the last call had. Ranks in turn are timed by themselves, with the null call
  // subtracted, as kbench run does it; all at once make the same number of calls in the same time.
  std::optional<CandidateFailure> time(const SamplingRule& rule, RankTimes& times);

  RankOutputs outputs() const;
  // "rank 1: UNWRITTEN: …", or "".
  std::string unwritten(bool passed, std::span<const Standard> standards = {}) const;
  // Text that they printed, rank by rank.
  std::string log() const;

 private:
  struct Rank {
    SharedMemory stage;
    std::unique_ptr<PoisonedOutputs> outputs;
    std::unique_ptr<CandidateProcess> process;
  };

  std::optional<CandidateFailure> run(const RankTask& task) {
    return transport_.run(task, ranks_.size(), *hub_);
  }
  std::optional<CandidateFailure> time_in_turn(const SamplingRule& rule, RankTimes& times);
  std::optional<CandidateFailure> time_at_once(const SamplingRule& rule, RankTimes& times);

  const Transport& transport_;
  std::unique_ptr<RankHub> hub_;
  std::vector<Rank> ranks_;
};

}  // namespace kbench
