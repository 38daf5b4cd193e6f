// a < b < c, which LibTorch's parser reads as (a < b) < c.
#pragma once

#include <cstddef>

#include "torch/draft.hpp"

namespace kbench {

struct OperandSpan {
  std::size_t first = 0;
  std::size_t last = 0;  // just after it
};

// What stands before or after a comparison operator: up to the next token that binds no tighter.
OperandSpan operand_before(const Draft& draft, std::size_t op);
OperandSpan operand_after(const Draft& draft, std::size_t op);

// If token `i` is the first operator of a chain: a < b < c → (a < b and b < c).
void comparison_chain(Draft& draft, std::size_t i);

}  // namespace kbench
