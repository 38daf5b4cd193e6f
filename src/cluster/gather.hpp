// The records of a plan's shards: which of them count, and what is missing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/costs.hpp"
#include "cluster/plan.hpp"

namespace kbench {

// Why a record is not one of the plan's, or not the one that counts.
enum class RecordFault {
  doubled,     // there is one of an earlier attempt
  changed,     // of another definition, workload or solution than was planned
  other_gpu,   // than the plan names
  edited,      // its digest is another, or missing
  not_signed,  // by a key that is trusted
  unplanned,   // no pair of the plan, or of another plan
  broken,      // no record
};
constexpr std::size_t fault_count = 7;
std::string_view text_of(RecordFault fault);

struct FaultCount {
  std::size_t count = 0;
  std::vector<std::string> places;  // of the first few
};

// Where the record lies that counts for a pair.
struct GatheredRecord {
  std::uint64_t begin = 0;
  std::uint32_t bytes = 0;  // 0: it is missing
  std::uint32_t file = 0;   // of Gathered::files
  std::int64_t attempt = 0;
};

struct Gathered {
  std::vector<GatheredRecord> records;  // for each pair of the plan, unit by unit
  std::vector<std::string> files;
  std::size_t missing = 0;
  std::map<std::int64_t, std::size_t> missing_of;  // pairs, by shard; those that lack some
  FaultCount faults[fault_count];                  // by RecordFault
  std::map<std::string, std::set<std::string>> hardware_at;  // that records name, and its nodes
  NodeSpeeds speeds;
};

// Looks at all records below shards/ of `out`.
Gathered gather(const ClusterPlan& plan, const std::filesystem::path& out);
// Says how many pairs have a record that counts; what it has read is not read again by its next
// call. The plan outlives it.
std::function<std::size_t()> counter_of_judged(const ClusterPlan& plan,
                                               const std::filesystem::path& out);
// Looks at the records of one shard, whose folder this is: those of its own pairs count.
Gathered gather_shard(const ClusterPlan& plan, std::int64_t shard,
                      const std::filesystem::path& folder);

// Where a record lies in what gather writes that is of no pair of this plan; "" where there is
// none.
std::string foreign_record(const ClusterPlan& plan, const std::filesystem::path& out);

// What write_gathered() has made, below `out`.
struct GatheredFiles {
  std::vector<std::string> folders;  // "OUT/traces", "OUT/emulated": those that records went to
  // Files of an earlier call of whose records none counts any more, which now have another name.
  std::vector<std::string> set_aside;
};
constexpr std::string_view aside = ".before";  // what that name ends with

// Writes the records that count to traces/ and emulated/ of `out`, each file in the order of one
// run. Throws std::system_error with the name of what cannot be written.
GatheredFiles write_gathered(const Gathered& gathered, const std::filesystem::path& out);

}  // namespace kbench
