// The third set: see third_making.hpp for what is right and what is wrong.
#pragma once

#include "evaluate/mutants/third_attention.hpp"
#include "evaluate/mutants/third_scans.hpp"

namespace kbench::mutants {

// Its seeds, none of which another set has.
inline constexpr std::uint64_t third_first_seed = 3001;

inline std::vector<heldout::HeldOut> third_set() {
  using namespace heldout;
  return {
      window_with_sinks(), capped_scores(),    latent_decode(),   merged_states(),
      gated_delta_rule(),  linear_attention(), selective_state(),
  };
}

inline std::vector<Task> third_tasks() {
  std::vector<Task> tasks;
  for (heldout::HeldOut& held : third_set()) tasks.push_back(std::move(held.task));
  return tasks;
}

}  // namespace kbench::mutants
