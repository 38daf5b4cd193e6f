// Results of each solution on each workload, from the newest record of each, as values that
// rankings and gates compare.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "measure/statistics.hpp"
#include "schema/record_signature.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Difference; it has an interval where both have one.
Estimate operator-(const Estimate& a, const Estimate& b);

// A part of a whole; 0 of nothing.
double share(std::size_t part, std::size_t whole);
// The share of `compared` with a speed-up of p and more: surely, and perhaps; NaN of nothing.
Interval fast_share(const std::vector<Estimate>& speedups, double p, std::size_t compared);

// The texts are those of the trace, or of the Results that it is in.
struct Result {
  const Trace* trace = nullptr;  // null where it was gone before the Results were finished
  std::string_view definition, workload, solution;
  std::string_view hardware;
  std::string_view machine;  // tells it from others of that hardware; "" where it is not known
  bool passed = false;
  // Logarithms of the latency, absent where it failed or was not timed, and of the speed-up over
  // the reference, where that was measured.
  std::optional<Estimate> speed = {}, speedup = {};
};

// Trivial answers that would have passed, too, for which its verdict says nothing: "zeros, or
// mean";
// "" where there are none.
std::string passing_trivially(const Trace& trace);

struct ResultFilter {
  bool plain = false;               // times of plain mode, too: a candidate could have forged them
  std::string rule = {};            // rule of the verdict; "": any
  std::string hardware = {};        // begin of its name
  std::string since = {};           // begin of a timestamp
  bool by_configuration = false;    // a solution with two configurations is two candidates
  bool non_discriminating = false;  // workloads that cannot tell right from wrong, too
};

// Counts of records that do not count, by reason.
struct LeftOut {
  std::size_t plain = 0, rule = 0, hardware = 0, since = 0;
  std::size_t sanitized = 0;  // runs of --sanitize: no times, and another program
  std::size_t older = 0;      // superseded by a newer one
  std::array<std::size_t, doubts> doubted{};
  std::size_t non_discriminating = 0;

  std::size_t& of(Doubt doubt) { return doubted[static_cast<std::size_t>(doubt)]; }
  std::size_t of(Doubt doubt) const { return doubted[static_cast<std::size_t>(doubt)]; }
  // Tells whether a record is in doubt; counts it.
  bool add(const Trace& trace) {
    const Doubt doubt = doubt_about(trace);
    ++of(doubt);
    return doubt != Doubt::none;
  }
};

struct Results {
  std::vector<Result> results;
  LeftOut left_out;
  std::shared_ptr<std::unordered_set<std::string>> texts = nullptr;  // owns those of traces gone
};

// The newest record of each workload, solution and machine, found as they come; the last of those
// of one time.
class NewestRecords {
 public:
  struct Place {
    std::size_t index = 0;  // number of its workload, solution and machine, by first appearance
    bool is_newest = false;
  };
  Place place_of(const Trace& trace, bool by_configuration = false);
  std::size_t older() const { return count_ - times_.size(); }

 private:
  using Key = std::array<std::size_t, 4>;
  struct Hash {
    std::size_t operator()(const Key& key) const { return key[0]; }
  };
  static Key key_of(const Trace& trace, const Configuration* values);

  std::unordered_map<Key, std::size_t, Hash> places_;
  std::vector<std::string> times_;  // timestamp of each place
  std::size_t count_ = 0;
};

// Collects the results of evaluated traces, as they come.
class ResultCollector {
 public:
  explicit ResultCollector(ResultFilter filter) : filter_(std::move(filter)) {}

  // `stays`: it lives as long as the Results.
  void take(const Trace& trace, bool stays);
  bool empty() const { return found_.results.empty(); }
  Results finish();

 private:
  std::string_view kept(std::string_view text);

  ResultFilter filter_;
  Results found_;
  NewestRecords newest_;
};

// Returns the newest of the evaluated traces of each workload, solution and machine (the last of
// those of one time), in the order in which the first of them came; `by_configuration`, of each of
// its configurations too.
std::vector<const Trace*> newest_of_each(std::span<const Trace* const> traces,
                                         bool by_configuration = false);

// Values in its record that it was built and called with; nullptr where it has no parameters.
const Configuration* configuration_of(const Trace& trace);

// Collects the results of evaluated traces; a later one of the same workload, solution and machine
// stands for the earlier, as newest_of_each() has it.
Results select_results(std::span<const Trace* const> traces, const ResultFilter& filter);

// The speed-ups that records hold, and what is to be said of those that they lack.

// Latency, nanoseconds, with its 99 % confidence interval over starts; records of earlier versions
// have 95 % of the median of one start.
Estimate recorded_latency(const Timing& timing);

// Time of the reference / time of the solution, with its 99 % interval. Returns nothing where it
// was not measured, or is worth nothing. Records that kbench did not write have their
// speedup_factor, without an interval.
std::optional<Estimate> recorded_speedup(const Evaluation& evaluation);

// Returns the logarithm; an interval that reaches 0 is none.
Estimate log_of(const Estimate& estimate);

// The reference's latency beside this evaluation, nanoseconds; 0 where it was not timed.
double reference_ns(const Evaluation& evaluation);

// Says why one that passed has no speed-up; "" where it has one, or none was asked for.
std::string why_no_speedup(const Evaluation& evaluation);

// Says why rows that passed have no speed-up, "" where there are none; and beside what those that
// have one were timed.
std::string missing_speedups(std::span<const Trace> traces);
std::string timed_beside(std::span<const Trace> traces);

}  // namespace kbench
