// One direction of a Solution's gradients as who is judged and timed beside others: what kbench
// tune --direction races and lets contend.
#pragma once

#include "judge/contender.hpp"
#include "judge/derive/direction.hpp"

namespace kbench {

// Starts builds of one Solution, each another configuration, with these of its functions. Each has
// residuals of its own, so inputs of the backward call are nobody else's; all that is referred to
// lives as long as what is started. reference_problem() of `prepared` is "".
StartContender starts_directed(const PreparedGradient& prepared, GradientFunctions functions,
                               const EvaluateOptions& options, Direction direction);

}  // namespace kbench
