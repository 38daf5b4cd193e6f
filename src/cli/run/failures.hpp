// What a run says of each evaluation that fails, as it goes on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schema/trace.hpp"

namespace kbench {

// Workloads of one solution that fail alike, and checks of one kernel, are counted after the first.
class FailurePrinter {
 public:
  // `again` is the command that judges it again.
  void print(const Trace& trace, const std::function<std::string()>& again);
  // How many were counted.
  void print_repeated() const;

 private:
  struct Cause {
    std::string kernel, status, text;
    std::string first;      // the workload, or the check's Solution, with which it was printed
    std::string symbol;     // who failed
    std::string noun;       // what is counted: "workload"
    bool is_plain = false;  // of a call as it is meant: each check ends with one
    int repeated = 0;

    bool is_that_of(const Cause& other) const;
  };
  static Cause cause_in(const Trace& trace);
  bool is_repeated(const Trace& trace);

  std::vector<Cause> causes_;
};

}  // namespace kbench
