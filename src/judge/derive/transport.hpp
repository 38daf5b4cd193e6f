// How the ranks of a sharded call run: one row a way, one file each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exec/candidate_process.hpp"
#include "exec/rank_hub.hpp"

namespace kbench {

// What is done with each rank; nothing where it went well.
using RankTask = std::function<std::optional<CandidateFailure>(std::size_t rank)>;

struct Transport {
  std::string_view name;
  std::string_view doc;
  bool at_once = false;  // so that ranks can meet in collectives
  // Does it with all ranks; the failure says which rank's it is. Throws what a task throws.
  std::optional<CandidateFailure> (*run)(const RankTask& task, std::size_t ranks, RankHub& hub);
};

// To add one: its file, its row in transport.cpp.
const Transport* find_transport(std::string_view name);
std::vector<std::string> transport_names();

// One rank after the other, each with the machine to itself: transport_turn.cpp.
std::optional<CandidateFailure> run_in_turn(const RankTask& task, std::size_t ranks, RankHub& hub);
// All at once, a thread of the judge for each: transport_processes.cpp.
std::optional<CandidateFailure> run_at_once(const RankTask& task, std::size_t ranks, RankHub& hub);

}  // namespace kbench
