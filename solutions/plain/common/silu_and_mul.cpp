// SPDX-License-Identifier: Apache-2.0
// silu(gate) * up, where each row holds the gate projection and then the up projection.
#include "kbench_ffi.h"
#include "numbers.h"

namespace {

void silu_and_mul(kbench::Tensor x, kbench::Tensor out) {
  const int64_t d = out.size(-1), rows = out.numel() / d;
  const bool known = with_element_type(x.dtype(), [&](auto element) {
    using T = decltype(element);
    for (int64_t r = 0; r < rows; ++r) {
      const T* gates = x.data<T>() + r * 2 * d;
      for (int64_t i = 0; i < d; ++i) {
        const float gate = to_float(gates[i]), up = to_float(gates[d + i]);
        from_float(gate / (1.0f + std::exp(-gate)) * up, &out.data<T>()[r * d + i]);
      }
    }
  });
  KBENCH_CHECK(known, "silu_and_mul: unsupported dtype");
}

}  // namespace

KBENCH_EXPORT(run, silu_and_mul)
