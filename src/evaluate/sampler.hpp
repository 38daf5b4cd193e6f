// Candidates that draw are called many times more: one draw says nothing about how they draw.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "evaluate/prepare.hpp"
#include "exec/candidate_process.hpp"
#include "verdict/draws.hpp"

namespace kbench {

// How long: at least `least` calls, then until the budget is spent, at most `most`.
struct DrawEffort {
  int least = 100;
  int most = 20'000;
  double budget_seconds = 1.5;
};

// Whether an output of this trial is drawn.
bool is_sampler(const Trial& trial);

struct DrawResult {
  std::optional<CandidateFailure> failure;  // a call failed
  std::string wrong;                        // what no honest sampler does; "": nothing
  std::size_t draws = 0;
};

// Calls again and again on the trial's inputs. `names` are the outputs'.
DrawResult draw_again(CandidateProcess& process, const Trial& trial,
                      std::span<const std::string> names,
                      const std::function<std::uint64_t()>& fresh_secret,
                      const DrawEffort& effort = {});

}  // namespace kbench
