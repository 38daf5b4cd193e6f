// torch.finfo and torch.iinfo of compiled references. In a double run finfo(x.dtype) has to say
// what it says natively (a clamp at 448, a mask of -3.4e38), and the dtype that x has there is not
// known: so a native run before keeps what finfo was asked for, and the double run hears it in that
// order.
#pragma once

#include <ATen/core/stack.h>

#include <cstdint>

namespace kbench {

enum class LimitsTape : std::uint8_t { off, record, replay };

// Before a reference is loaded. `record` forgets what was kept.
void set_limits_tape(LimitsTape mode);
// Before each call of its run().
void begin_call_on_limits_tape();

// kbench::finfo(int dtype, str field) -> float and kbench::iinfo(int dtype, str field) -> int; both
// throw c10::Error where the dtype has no such limit.
void push_float_limit(torch::jit::Stack& stack);
void push_integer_limit(torch::jit::Stack& stack);

}  // namespace kbench
