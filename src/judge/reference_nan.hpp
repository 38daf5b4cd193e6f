// NaN in a reference's answers: who meets them unprepared takes a right solution for a wrong one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "judge/prepare.hpp"

namespace kbench {

// For each output that has any: how many, and where, in the first of `trials` that makes some.
std::vector<ReferenceNan> nan_in_answers(const Problem& problem, std::span<const Trial> trials);

// "22 of 64 elements of output "y", first at [3]"
std::string nan_text(const ReferenceNan& found);

}  // namespace kbench
