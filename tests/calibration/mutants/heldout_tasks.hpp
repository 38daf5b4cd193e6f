// The held-out set: heldout.hpp says what is right and what is wrong.
#pragma once

#include "calibration/mutants/heldout_attention.hpp"
#include "calibration/mutants/heldout_codes.hpp"
#include "calibration/mutants/heldout_counts.hpp"
#include "calibration/mutants/heldout_elements.hpp"
#include "calibration/mutants/heldout_integers.hpp"
#include "calibration/mutants/heldout_norms.hpp"
#include "calibration/mutants/heldout_reductions.hpp"
#include "calibration/mutants/heldout_whole.hpp"

namespace kbench::mutants {

// First of its seeds, none of which the other set has.
inline constexpr std::uint64_t heldout_first_seed = 1001;

namespace heldout {

inline std::vector<HeldOut> with_sums() {
  return {
      linear_gelu_bfloat16(),
      linear_relu_float16(),
      linear_silu_float32(),
      linear_gelu_float32(),
      one_row_float32(),
      batched_float16_to_float32(),
      batched_float8(),
      int8_weights(),
      float4_weights(),
      rmsnorm_residual(DType::bfloat16, 7, 1000),
      rmsnorm_residual(DType::float32, 1, 4117),
      layernorm_float16(),
      groupnorm_float32(),
      l2norm_bfloat16(),
      log_softmax_float32(),
      softmax_middle(DType::float16),
      softmax_middle(DType::bfloat16),
      cross_entropy_rows(),
      prefill_causal(DType::float16),
      prefill_causal(DType::float32),
      decode_paged(DType::bfloat16),
      decode_paged(DType::float32),
  };
}

inline std::vector<HeldOut> by_element() {
  return {
      gelu_float32(),
      gelu_tanh_float16(),
      softplus_bfloat16(),
      mish_float32(),
      log1p_with_nan(),
      swiglu_limited(DType::float16),
      swiglu_limited(DType::float32),
      rope_partial(DType::bfloat16),
      rope_partial(DType::float32),
      mean_of_rows(),
      variance_bfloat16(),
      variance_float32(),
      scalar_sum(),
      lse_float16(),
      prefix_sum(),
      largest_with_nan(DType::float32),
      largest_with_nan(DType::bfloat16),
      rows_to_e4m3(),
      blocks_to_e5m2(),
      blocks_to_int8(),
      blocks_to_float4(),
      fixed_int8(),
      fixed_int16(),
      fixed_e5m2(),
      fixed_e4m3(),
      embedding_bag(DType::float16),
      embedding_bag(DType::float32),
      scatter_add(),
      routing(DType::float32),
      routing(DType::bfloat16),
      argmax_rows(DType::float16),
      requantised(),
      averaged_int16(),
      hashed_int64(),
      window_mask(),
      histogram(),
      compaction(),
      outliers(),
  };
}

}  // namespace heldout

inline std::vector<heldout::HeldOut> heldout_set() {
  std::vector<heldout::HeldOut> all = heldout::with_sums();
  for (heldout::HeldOut& held : heldout::by_element()) all.push_back(std::move(held));
  return all;
}

inline std::vector<Task> heldout_tasks() {
  std::vector<Task> tasks;
  for (heldout::HeldOut& held : heldout_set()) tasks.push_back(std::move(held.task));
  return tasks;
}

}  // namespace kbench::mutants
