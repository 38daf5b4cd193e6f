// Reports of gradients as text and as JSON.
#pragma once

#include <span>
#include <string>

#include "judge/derive/gradient_report.hpp"

namespace kbench {

// A line each row; `is_coloured` with ANSI colours.
std::string gradient_text(const GradientReport& report, bool is_coloured);

// A JSON array; a number that JSON does not have is a string: "nan", "inf", "-inf".
std::string gradient_json(std::span<const GradientReport> reports);

}  // namespace kbench
