// Sampling: the number of calls of each sample, and when there are enough. No clock of its own: the
// epochs and the time come from the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/epochs.hpp"

namespace kbench {

// Makes the calls, and gives each sample: nanoseconds of all its calls. Nothing where one failed,
// which ends the whole.
using RunEpochs = std::function<std::optional<std::vector<double>>(const Epochs&)>;
using Clock = std::function<double()>;  // nanoseconds since any moment

// Pace of a candidate's calls. A sample lasts long enough for the clock and for what surrounds it
// to be nothing beside it.
struct Pace {
  std::uint64_t calls = 1;
  double call_ns = 0;  // best value known by now
};

struct PaceRule {
  double epoch_ns = 50'000;  // interruptions are rarely closer together
  bool cold = false;         // one call each
};

// Doubles the calls until they fill an epoch, twice in a row: a kernel's first calls are slower
// than the rest. A candidate that is slow here gets shorter samples, which is no advantage, and one
// that is faster later is noticed (take_samples).
std::optional<Pace> find_pace(const RunEpochs& run, const PaceRule& rule);

// Raises the calls of a sample, and is true, where a sample turns out to be shorter than half an
// epoch.
bool raise_calls(double call_ns, const PaceRule& rule, Pace& pace);

// One sample at that pace.
Epochs epochs_of(const Pace& pace, const PaceRule& rule);

// Time that a call takes by itself, found by samples without a candidate.
class NullCalls {
 public:
  NullCalls(const PaceRule& rule, const Pace& pace, std::uint32_t samples = 7);  // warm
  bool take(const RunEpochs& run);  // takes some samples more; false where that failed
  double ns() const;                // nanoseconds: their 10th percentile

 private:
  Epochs epochs_;
  std::vector<double> calls_ns_;
};

// kbench's own computation, nanoseconds: the quickest of some, which others on the machine disturb
// least.
std::optional<double> measure_control(const RunEpochs& run);

enum class Stop { width, budget, count, decided };
std::string_view stop_name(Stop stop);  // "width", …

struct SamplingRule {
  PaceRule pace;
  double budget_ns = 20e6;    // 7 samples are enough when it is spent, 3 when ten times as much is
  double width = 0.01;        // width of the median's 95 % interval, relative to the median
  std::size_t least = 100;    // samples before their width counts
  std::size_t exactly = 0;    // number of samples, whatever they take; 0: as many as it takes
  std::uint32_t warmups = 0;  // calls before the first sample
};

struct Sampled {
  std::vector<double> samples_ns;  // nanoseconds a call, without the null call
  double null_ns = 0;              // nanoseconds of the null call
  Pace pace;
  Stop stop = Stop::budget;
  std::vector<double> control_ns;  // measure_control() before and after
};

std::optional<Sampled> take_samples(const RunEpochs& run, const SamplingRule& rule,
                                    const Clock& now);

// A call's time without the null call: never negative, since what does nothing can be faster than
// nothing only by chance.
double net_ns(double call_ns, double null_ns);

// The samples of one contender as they come: its pace, its null call, and what it has taken.
class Series {
 public:
  Series(const RunEpochs& run, const PaceRule& rule, const Pace& pace);

  // Takes samples, after `warmups` calls that do not count. False where a call failed. Calls so
  // quick that there must be more of them in a sample drop all that was taken.
  bool turn(std::uint32_t warmups, std::uint32_t samples);
  // Makes calls that do not count. False where one failed.
  bool warm_up(std::uint32_t calls);

  std::size_t size() const { return taken_.samples_ns.size(); }
  const Pace& pace() const { return taken_.pace; }
  void set_calls(std::uint64_t calls) { taken_.pace.calls = calls; }
  void drop();
  double sample_ns() const { return taken_.pace.call_ns * static_cast<double>(taken_.pace.calls); }
  // The median of the last turn's samples; nanoseconds a call, without the null call.
  double last_ns() const;
  // Tells whether the median's 95 % interval is no wider than `width` of it.
  bool is_narrow(double width) const;

  // The samples without the null call.
  Sampled finish(Stop stop) const;

 private:
  const RunEpochs& run_;
  PaceRule rule_;
  NullCalls null_;
  bool knows_null_ = false;
  Sampled taken_;         // the null call is subtracted at the end
  std::size_t last_ = 0;  // samples of the last turn
};

}  // namespace kbench
