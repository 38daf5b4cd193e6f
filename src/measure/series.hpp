// The samples of one contender as they come: its pace, its null call, and what it has taken.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measure/sampling.hpp"

namespace kbench {

class Series {
 public:
  Series(const RunEpochs& run, const PaceRule& rule, const Pace& pace);

  // Takes samples, after `warmups` calls that do not count. False where a call failed. Where the
  // calls turn out to be so quick that there must be more of them in a sample, all that was taken
  // is dropped.
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
  // Whether the median's 95 % interval is no wider than `width` of it.
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
