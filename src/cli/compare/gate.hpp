// Parts that `kbench gate` and `kbench run --gate` share.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "cli/judging/settings_options.hpp"
#include "report/gate.hpp"
#include "schema/gate_policy.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// The policy, and the earlier state that a run is held against.
struct Gate {
  GatePolicy policy;
  std::optional<RunRecords> before;
  std::optional<TraceSet> base;
};

// Opens the files; returns nothing where one is not there or wrong, which is reported.
std::optional<Gate> open_gate(const GateOptions& options, Diagnostics& reports);

struct GateOutput {
  std::string format;  // "": the sentence of the gate alone
  bool all = false;    // shows what passes, too
  std::string junit_file = {};
  FileOf file_of = {};
};

// Prints what was found; the exit status.
int pass_gate(const GateReport& report, const GateOutput& output);

}  // namespace kbench
