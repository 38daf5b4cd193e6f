#include "measure/series.hpp"

#include <algorithm>

#include "measure/statistics.hpp"

namespace kbench {

Series::Series(const RunEpochs& run, const PaceRule& rule, const Pace& pace)
    : run_(run), rule_(rule), null_(rule, pace) {
  taken_.pace = pace;
}

bool Series::turn(std::uint32_t warmups, std::uint32_t samples) {
  if (!knows_null_ && !null_.take(run_)) return false;
  knows_null_ = true;
  Epochs epochs = epochs_of(taken_.pace, rule_);
  epochs.warmups = warmups;
  epochs.samples = samples;
  epochs.seed = static_cast<std::uint32_t>(taken_.samples_ns.size());
  const auto taken = run_(epochs);
  if (!taken || taken->empty()) return false;
  const auto calls = static_cast<double>(taken_.pace.calls);
  last_ = taken->size();
  if (raise_calls(median_of(*taken) / calls, rule_, taken_.pace)) {
    drop();
    return true;
  }
  for (const double ns : *taken) taken_.samples_ns.push_back(ns / calls);
  return true;
}

void Series::drop() {
  taken_.samples_ns.clear();
  last_ = 0;
}

bool Series::warm_up(std::uint32_t calls) {
  Epochs epochs = epochs_of(taken_.pace, rule_);
  epochs.warmups = calls;
  const auto samples = run_(epochs);
  return samples && !samples->empty();
}

double Series::last_ns() const {
  const std::span all(taken_.samples_ns);
  return net_ns(median_of(all.last(std::min(last_, all.size()))), null_.ns());
}

bool Series::is_narrow(double width) const {
  std::vector<double> sorted = taken_.samples_ns;
  std::sort(sorted.begin(), sorted.end());
  const auto interval = median_interval(sorted, 0.95);
  return interval && interval->high - interval->low <= width * quantile(sorted, 0.5);
}

Sampled Series::finish(Stop stop) const {
  Sampled sampled = taken_;
  sampled.stop = stop;
  sampled.null_ns = null_.ns();
  for (double& ns : sampled.samples_ns) ns = net_ns(ns, sampled.null_ns);
  return sampled;
}

}  // namespace kbench
