// Evaluations that say less than a gate is to know.
#pragma once

#include <string>
#include <vector>

#include "evaluate/run.hpp"
#include "schema/trace.hpp"

namespace kbench {

struct RunCommand;

struct Doubts {
  std::vector<std::string> texts;  // "2 evaluations were emulated (--allow-emulated lets it pass)"
  bool is_unrun_allowed = false;   // nothing was run, and an option says that this may be
};

Doubts doubts_of(const RunCommand& c, const RunTotals& totals, const std::vector<Trace>& traces);

// The exit status of a run with a gate, whose status without doubts is given: a doubt is no reason
// to merge. `are_shown`: the gate's own sentence has them.
int with_doubts(const Doubts& doubts, int status, bool are_shown);

}  // namespace kbench
