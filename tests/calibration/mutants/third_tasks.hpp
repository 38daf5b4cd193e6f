// The third set: third_making.hpp says what is right and what is wrong.
#pragma once

#include "calibration/mutants/third_attention.hpp"
#include "calibration/mutants/third_codes.hpp"
#include "calibration/mutants/third_grids.hpp"
#include "calibration/mutants/third_integers.hpp"
#include "calibration/mutants/third_norms.hpp"
#include "calibration/mutants/third_probabilities.hpp"
#include "calibration/mutants/third_products.hpp"
#include "calibration/mutants/third_running.hpp"
#include "calibration/mutants/third_scans.hpp"

namespace kbench::mutants {

// First of its seeds, none of which another set has.
inline constexpr std::uint64_t third_first_seed = 3001;

inline std::vector<heldout::HeldOut> third_set() {
  using namespace heldout;
  return {
      window_with_sinks(),
      capped_scores(),
      latent_decode(),
      merged_states(),
      gated_delta_rule(),
      linear_attention(),
      selective_state(),
      packed_zeros(),
      tokens_by_expert(),
      float8_blocks(),
      lora(),
      lower_triangle(),
      bytes_to_int32(),
      norm_with_one_more(),
      norm_then_rope(),
      modulated_norm(),
      learnt_batchnorm(),
      rmsnorm_gradient(),
      masked_softmax(),
      nucleus_renormalised(),
      softmax_gradient(),
      squares_to_e5m2(),
      gated_to_e4m3(),
      mx_float4(),
      int8_with_zero(),
      cache_write(),
      causal_conv(),
      strided_conv(),
      max_pool(),
      upsampled(),
      clipped_gradients(),
      adam_step(),
      moving_average(),
      running_largest(),
      packed_flags(),
      token_slots(),
      stable_order(),
      aligned_offsets(),
      document_mask(),
      hashed_rows(),
      divergence_rows(),
  };
}

inline std::vector<Task> third_tasks() {
  std::vector<Task> tasks;
  for (heldout::HeldOut& held : third_set()) tasks.push_back(std::move(held.task));
  return tasks;
}

}  // namespace kbench::mutants
