// Causes of a reference's rounding errors, as its operators show them.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <map>
#include <string>
#include <vector>

namespace kbench {

class RoundingWork {
 public:
  // Takes an operator with its arguments, and its first result.
  void add(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given,
           const c10::IValue& result);

  // Returns the most terms that an operator summed up for one element; at least 1. Sums of whole
  // numbers that float32 has exactly count as one term.
  double longest_sum() const { return longest_; }
  // Tells whether a rounding operator made a single number in all: its results share that error.
  bool shares_an_error() const;
  // Returns the rough time of a run, by fixed rates: the same on every machine.
  double seconds() const { return seconds_; }

 private:
  double longest_ = 1, seconds_ = 0;
  std::map<std::string, double> made_;  // elements, by the operator's name
};

// Number of runs of such a duration that are worth a budget.
struct RunCounts {
  int least, most;
};
int runs_within(double budget_seconds, double run_seconds, RunCounts counts);

}  // namespace kbench
