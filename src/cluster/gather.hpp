// The records of a plan's shards: those that count, and the pairs without one.
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

// Reason that a record is not one of the plan's, or not the one that counts.
enum class RecordFault {
  doubled,     // an earlier attempt has one
  changed,     // another definition, workload or solution was planned
  other_gpu,   // the plan names another GPU
  edited,      // its digest is another, or missing
  not_signed,  // no trusted key has signed it
  unplanned,   // no pair of the plan, or of another plan
  broken,      // no record
};
constexpr std::size_t fault_count = 7;
std::string_view text_of(RecordFault fault);

struct FaultCount {
  std::size_t count = 0;
  std::vector<std::string> places;  // places of the first few
};

// Place of the record that counts for a pair.
struct GatheredRecord {
  std::uint64_t begin = 0;
  std::uint32_t bytes = 0;  // 0: it is missing
  std::uint32_t file = 0;   // index into Gathered::files
  std::int64_t attempt = 0;
};

struct Gathered {
  std::vector<GatheredRecord> records;  // one for each pair of the plan, unit by unit
  std::vector<std::string> files;
  std::size_t missing = 0;
  std::map<std::int64_t, std::size_t> missing_of;            // missing pairs, by shard
  FaultCount faults[fault_count];                            // indexed by RecordFault
  std::map<std::string, std::set<std::string>> hardware_at;  // hardware in records, and its nodes
  NodeSpeeds speeds;
};

// Looks at all records below shards/ of `out`.
Gathered gather(const ClusterPlan& plan, const std::filesystem::path& out);
// Returns a function that counts the pairs with a record; it reads on where its last call ended.
// The plan outlives it.
std::function<std::size_t()> counter_of_judged(const ClusterPlan& plan,
                                               const std::filesystem::path& out);
// Looks at the records of one shard, whose folder this is: records of its own pairs count.
Gathered gather_shard(const ClusterPlan& plan, std::int64_t shard,
                      const std::filesystem::path& folder);

// Place of a record that is of no pair of this plan, in files that gather writes; "" where there is
// none.
std::string foreign_record(const ClusterPlan& plan, const std::filesystem::path& out);

// Files that write_gathered() has made, below `out`.
struct GatheredFiles {
  std::vector<std::string> folders;  // "OUT/traces", "OUT/emulated": folders with records
  // Files of an earlier call without a record that counts any more; they have another name now.
  std::vector<std::string> set_aside;
};
constexpr std::string_view aside = ".before";  // ending of that name

// Writes the records that count to traces/ and emulated/ of `out`, each file in the order of one
// run. Throws std::system_error with the name of the file that cannot be written.
GatheredFiles write_gathered(const Gathered& gathered, const std::filesystem::path& out);

}  // namespace kbench
