// Records of one machine → which solution to call, by definition and axis values; and what calling
// by the nearest recorded values costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/results.hpp"

namespace kbench {

// The values of a definition's axes, in the order of its workloads' axes.
using ApplyAxes = std::vector<std::int64_t>;

struct ApplyEntry {
  ApplyAxes axes;
  std::string solution;  // the quickest that passed on every workload with these values
  double ns = 0;         // its time: the geometric mean over these workloads
  std::optional<Configuration> configuration = {};  // values of the parameters that it declares
  std::string solution_hash = {};  // hash of what was judged; "" in records of other programs
};

// Excess of an entry's time with the solution of the nearest *other* entry over that with its own.
// Every entry is held out once.
struct Regret {
  std::size_t held_out = 0;
  std::size_t failed = 0;  // the other solution was not tried there, or did not pass
  double mean = 0;         // geometric mean of the ratios - 1, of those that have a time
  double worst = 0;
};

struct AppliedDefinition {
  std::vector<std::string> axes;
  std::vector<ApplyEntry> entries;  // ordered by axis values
  std::vector<ApplyAxes> unserved;  // axis values at which no solution passed on every workload
  std::optional<Regret> regret;     // absent for a single entry
};

using ApplyTable = std::map<std::string, AppliedDefinition>;

// The entry whose axes are nearest: the distance is the sum of |log2| of the ratios of the values
// (a value v counts as v + 1), since a kernel's choice changes with factors of a size; a tie goes
// to the smaller values. `entries` has one at least, `axes` as many values as they have.
const ApplyEntry& nearest_entry(const std::vector<ApplyEntry>& entries, const ApplyAxes& axes);

// Results of one machine, which may have a solution with several configurations. One of these, as a
// solution without any, that failed on a workload is chosen for no workload with the same axis
// values, nor is one that was not tried on all of them.
ApplyTable apply_table(const std::vector<Result>& results);

// The one solution of each definition that `is_usable` and passed on every workload, without a
// configuration: that of the least time over all axis values (a geometric mean). A definition
// without such a solution has no entry.
std::map<std::string, std::string> one_solution_each(
    const std::vector<Result>& results,
    const std::function<bool(const std::string& solution)>& is_usable);

// The table as a JSON object, which docs/apply-table.md describes.
std::string write_apply_table(const ApplyTable& table, const std::string& hardware);

}  // namespace kbench
