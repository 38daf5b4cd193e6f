// The tables of fields of GatePolicy.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/gate_policy.hpp"

namespace kbench {

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
