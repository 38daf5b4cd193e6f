// What the rounding errors of a reference depend on, as its operators show it.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <map>
#include <string>
#include <vector>

namespace kbench {

class RoundingWork {
 public:
  // An operator with its arguments, and its first result.
  void add(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given,
           const c10::IValue& result);

  // The most terms that an operator summed up for one element; at least 1. Sums of whole numbers
  // that float32 has exactly count as one term.
  double longest_sum() const { return longest_; }
  // Some operator that rounds made a single number in all: what follows from it shares its error.
  bool shares_an_error() const;
  // About what a run takes, by fixed rates: the same on every machine.
  double seconds() const { return seconds_; }

 private:
  double longest_ = 1, seconds_ = 0;
  std::map<std::string, double> made_;  // elements, by the operator's name
};

// How many runs that take so long are worth a budget.
struct RunCounts {
  int least, most;
};
int runs_within(double budget_seconds, double run_seconds, RunCounts counts);

}  // namespace kbench
