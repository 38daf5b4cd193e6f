// How much of what the rule allows was used: what a record says of it, and how people read it.
#pragma once

#include <optional>
#include <string>

#include "schema/trace.hpp"

namespace kbench {

// The largest part of a limit (docs/verdict.md): 1 is all of it, more is not kept. Nothing where
// the rule has no such figure.
std::optional<double> limit_share(const Evaluation& evaluation);

// "31%"; what is far beyond the limit is ">1000%".
std::string limit_share_text(double share);

}  // namespace kbench
