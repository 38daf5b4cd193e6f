// Policy of `kbench gate`: what it lets pass (docs/gate.md).
#pragma once

#include <optional>
#include <tuple>

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

// Reads the YAML or JSON of `source`; nothing when there was an error. Unknown keys are errors: a
// user who misspells one believes in a gate that is not there.
std::optional<GatePolicy> read_gate_policy(const Source& source, Diagnostics& diagnostics);

// Table of fields of GatePolicy.
constexpr auto fields(const GatePolicy*) {
  return std::tuple{
      Field{"margin", &GatePolicy::margin, Need::optional, Rule::fraction,
            "Times that differ by less than this share are the same."},
      Field{"error", &GatePolicy::error, Need::optional, Rule::fraction,
            "Probability that any answer is wrong, over all that is compared."},
      Field{"across_machines", &GatePolicy::across_machines, Need::optional, Rule::any,
            "Whether times of two machines are compared."},
      Field{"audited", &GatePolicy::audited, Need::optional, Rule::any,
            "Whether records of plain mode fail: its times could be forged."},
      Field{"slower", &GatePolicy::slower, Need::optional, Rule::any,
            "Of what is slower than before by more than the margin: \"fail\", \"warn\" or "
            "\"ignore\"."},
      Field{"undecided", &GatePolicy::undecided, Need::optional, Rule::any,
            "Likewise where noise hides whether it is."},
      Field{"incomparable", &GatePolicy::incomparable, Need::optional, Rule::any,
            "Likewise where times cannot be compared: of another machine, of other settings."},
      Field{"missing", &GatePolicy::missing, Need::optional, Rule::any,
            "Likewise of what was judged before, and is not now."},
      Field{"new", &GatePolicy::added, Need::optional, Rule::any,
            "Likewise of what was not judged before, and passes."},
      Field{"skipped", &GatePolicy::skipped, Need::optional, Rule::any,
            "Likewise of what was not run, since it had failed elsewhere too often."},
      Field{"non_discriminating", &GatePolicy::non_discriminating, Need::optional, Rule::any,
            "Likewise of what passes on a workload that cannot tell right from wrong."}};
}

}  // namespace kbench
