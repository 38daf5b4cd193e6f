#include "cli/run/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/terminal.hpp"

namespace kbench {

Doubts doubts_of(const RunCommand& c, const RunTotals& totals, const std::vector<Trace>& traces) {
  Doubts doubts;
  const auto add = [&doubts](std::size_t count, const char* what, const char* option) {
    if (count > 0)
      doubts.texts.push_back(fmt::format("{} {} {} ({} lets it pass)", counted(count, "evaluation"),
                                         count == 1 ? "was" : "were", what, option));
  };
  if (c.allow_unrun) {
    doubts.is_unrun_allowed = totals.unrun + totals.not_emulated > 0;
  } else {
    add(totals.unrun, "built and not run", "--allow-unrun");
    add(totals.not_emulated, "not emulated", "--allow-unrun");
  }
  const auto emulated = std::count_if(traces.begin(), traces.end(), [](const Trace& trace) {
    return is_emulated(*trace.evaluation);
  });
  if (!c.allow_emulated) add(static_cast<std::size_t>(emulated), "emulated", "--allow-emulated");
  return doubts;
}

int with_doubts(const Doubts& doubts, int status, bool are_shown) {
  if (doubts.is_unrun_allowed && status == exit_undecided) status = exit_good;
  if (doubts.texts.empty() || (status != exit_good && status != exit_undecided)) return status;
  for (const std::string& text : doubts.texts)
    if (!are_shown) tell("the gate is shut: " + text + "\n");
  return exit_undecided;
}

}  // namespace kbench
