// Words that tables share: subjects that records are told together under (definition, and machine
// where there are several), ratios, workloads, shares of limits, remarks on GPUs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "measure/statistics.hpp"
#include "schema/details.hpp"
#include "schema/trace.hpp"

namespace kbench {

class Subjects {
 public:
  explicit Subjects(std::span<const Trace> traces);  // evaluated ones among them

  // "rmsnorm_h128"; with several machines "rmsnorm_h128 on AMD EPYC 9B45", and with several of that
  // kind the begin of what tells them apart, too: "… (6e34f1)".
  std::string of(const Trace& trace) const;

 private:
  using Machine = std::pair<std::string, std::string>;  // hardware, and what tells it from others
  std::map<Machine, std::string> names_;
};

// "my_kernel/rmsnorm_h128/batch_size=4", as programs for benchmarks name them: a '/' parts a name
// from its arguments.
std::string benchmark_name(const Trace& trace, const Subjects& subjects);

// Groups by definition.

// The items of each definition, in the order in which these come first. `name_of` says which one an
// item is of. They point to `items`.
template <class Items, class NameOf>
auto by_definition(const Items& items, const NameOf& name_of) {
  using Item = typename Items::value_type;
  std::vector<std::pair<std::string, std::vector<const Item*>>> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (const Item& item : items) {
    const std::string& name = name_of(item);
    const auto [place, is_new] = places.try_emplace(name, groups.size());
    if (is_new) groups.push_back({name, {}});
    groups[place->second].second.push_back(&item);
  }
  return groups;
}

// Ratios of times, as people read them.

// Writes the ratio of a natural logarithm: "0.9954".
std::string ratio_text(double log_ratio);
// "0.9901 to 1.0017"; `none` where there is none: the pairs were too few.
std::string ratio_text(const std::optional<Interval>& log_ratios,
                       std::string_view none = "too few pairs");

// Says by what factor something is faster or slower whose times have this ratio to those of
// another: "1.121x faster (1.119x to 1.125x)"; without an interval the factor alone.
std::string factor_text(double log_ratio, const std::optional<Interval>& interval);

// Writes a value as people read it: "12.3x ±4%", and where half of the interval is above a quarter
// of the value the range, "9 to 16x". Times likewise: "446 ns ±4%", "71.0 to 119 µs".
std::string value_text(double ratio, const std::optional<Interval>& interval);
std::string time_text(double ns, const std::optional<Interval>& interval_ns);

// Names of workloads in tables.

// "batch_size=4 seq_len=128"; its uuid where it has no axes.
std::string workload_text(const Workload& workload);

// Share of what the rule allows that was used: by the record, and as people read it.

// The largest part of a limit (docs/verdict.md): 1 is all of it, more breaks the rule. Returns
// nothing where the rule has no such figure.
std::optional<double> limit_share(const Evaluation& evaluation);

// "31%"; a share far beyond the limit is ">1000%".
std::string limit_share_text(double share);

// Remarks on times that were taken on a GPU.

// Says that events and the device's own records (CUPTI) disagree by more than 5 % and a
// microsecond, or that something held the clocks back; "" for nothing. Cold calls are not compared:
// the records are of warm ones.
std::string gpu_remark(const Timing& timing);

}  // namespace kbench
