// What `kbench gate` lets pass: docs/gate.md.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "schema/field.hpp"

namespace kbench {

enum class Consequence { fail, warn, ignore };

struct GatePolicy {
  double margin = 0.03;
  double error = 0.01;
  bool across_machines = false;
  bool audited = false;
  Consequence slower = Consequence::fail;
  Consequence undecided = Consequence::warn;
  Consequence incomparable = Consequence::fail;
  Consequence missing = Consequence::fail;
  Consequence added = Consequence::warn;
  Consequence skipped = Consequence::fail;
  Consequence non_discriminating = Consequence::fail;
  FieldSet present{};
};

// Reads the YAML or JSON of `source`; nothing when there was an error. Unknown keys are errors:
// who misspells one believes in a gate that is not there.
std::optional<GatePolicy> read_gate_policy(const Source& source, Diagnostics& diagnostics);

}  // namespace kbench
