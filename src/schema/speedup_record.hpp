// How many times as fast as its reference a solution was found to be: docs/speedup.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/field.hpp"

namespace kbench {

struct SpeedupRecord {
  std::optional<double> ratio;                  // time of the reference / time of the solution
  std::optional<std::vector<double>> interval;  // that holds it with 99 %
  std::optional<std::string> absent;            // why there is no ratio
  std::string how;         // "in turn" or "apart"; "" where the reference was not timed
  std::int64_t pairs = 0;  // of turns; apart, the fewer of the two's samples
  std::optional<std::vector<double>> starts;  // ratio of each, where there are several
  std::string evaluator;     // that the timed reference ran in: "libtorch" or "python"
  std::int64_t threads = 0;  // that it had
  // In records of earlier versions alone:
  std::optional<double> others_running;  // tasks beside kbench that wanted a core, on average
  std::optional<double> disturbed;  // share of `pairs` in which somebody else had part of a core
  FieldSet present{};
};

}  // namespace kbench
