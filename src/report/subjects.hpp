// What records are told together under: their definition, and their machine where there are
// several.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "schema/trace.hpp"

namespace kbench {

class Subjects {
 public:
  explicit Subjects(std::span<const Trace> traces);  // evaluated ones among them

  // "rmsnorm_h128"; where not all are of one machine "rmsnorm_h128 on AMD EPYC 9B45", of several
  // of that kind with the begin of what tells them apart: "… (6e34f1)".
  std::string of(const Trace& trace) const;

 private:
  using Machine = std::pair<std::string, std::string>;  // hardware, and what tells it from others
  std::map<Machine, std::string> names_;
};

// "my_kernel/rmsnorm_h128/batch_size=4", as programs for benchmarks name them: a '/' parts a name
// from its arguments.
std::string benchmark_name(const Trace& trace, const Subjects& subjects);

}  // namespace kbench
