// A search that was recorded, by kbench or another program: what each configuration of a space
// gave.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tune/objective.hpp"
#include "tune/space.hpp"

namespace kbench {

struct RecordedSearch {
  std::string kernel;  // "" where the file does not say it
  std::string device;
  std::string objective = "time";
  std::string unit;  // "ms" for times
  bool is_higher_better = false;
  Space space;
  // By the numbers of the configurations. Nothing of one that failed, whose reason stands in
  // `failures`; "" where there is a value.
  std::vector<std::optional<double>> values;
  std::vector<std::string> failures;
};

// One line of such a record, on the way to it.
struct RecordedEntry {
  Configuration configuration;
  std::optional<double> value;
  std::string failure;
};

// Returns nothing where an entry has a value that no parameter has. Where a configuration is given
// twice, the last entry counts.
std::optional<RecordedSearch> record_of(std::vector<SpaceParameter> parameters,
                                        const std::vector<RecordedEntry>& entries);

// Whether more is better of an objective: of rates and efficiencies by Kernel Tuner's names, as
// "GFLOP/s". Nothing of a name that is not known.
std::optional<bool> is_higher_better(std::string_view objective);

// Answers what the record says, as costs. It refers to `record`.
Objective replay(const RecordedSearch& record);

}  // namespace kbench
