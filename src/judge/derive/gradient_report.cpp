#include "judge/derive/gradient_report.hpp"

#include <algorithm>

namespace kbench {

std::string_view row_status_name(RowStatus status) {
  constexpr std::string_view names[] = {"ok", "WRONG", "note", "skipped"};
  return names[static_cast<std::size_t>(status)];
}

std::string_view outcome_name(GradientOutcome outcome) {
  constexpr std::string_view names[] = {"PASSED", "WRONG", "REFERENCE_NOT_DIFFERENTIABLE",
                                        "FAILED"};
  return names[static_cast<std::size_t>(outcome)];
}

GradientOutcome outcome_of(const std::vector<GradientRow>& rows) {
  const bool is_wrong = std::any_of(rows.begin(), rows.end(), [](const GradientRow& row) {
    return row.status == RowStatus::wrong;
  });
  return is_wrong ? GradientOutcome::wrong : GradientOutcome::passed;
}

}  // namespace kbench
