// Rewritings of operators that LibTorch's parser or compiler takes otherwise than Python does.
#pragma once

#include <cstddef>

#include "reference/torch/text/draft.hpp"

namespace kbench {

// If token `i` is the first operator of a chain: a < b < c → (a < b and b < c), which LibTorch's
// parser reads as (a < b) < c.
void comparison_chain(Draft& draft, std::size_t i);

// Is the literal at `i` an operand of a comparison, or in a tuple, list or torch.device() that is?
bool is_compared(const Draft& draft, std::size_t i);

// a not in b → (not (a in b)), the only one that LibTorch has.
void not_in(Draft& draft, std::size_t i);

// a ** b → __power(a, b): of two integers LibTorch's own operator makes a float.
void power(Draft& draft, std::size_t i);

// x.view(torch.bfloat16) → __view_as(x, torch.bfloat16): to LibTorch a dtype is an integer, so the
// view() it finds is the one that takes sizes. So for x.view(y.dtype), and for a name that the text
// binds to such a value.
void view_as_dtype(Draft& draft, std::size_t i);

// The value of `a or b` is a or b; to LibTorch it is true or false. One operator on the right side
// of an assignment or behind return: x = a or b → x = (a if a else b).
void value_of_or(Draft& draft, const DraftLine& line);

// The bracket that is open where `i` stands; 0 for none on its line.
std::size_t bracket_around(const Draft& draft, std::size_t i);

// The one `or` of tokens [first, last) outside brackets; `last` when there is none, several, or
// something whose value is a truth anyway.
std::size_t lone_or(const Draft& draft, std::size_t first, std::size_t last);

}  // namespace kbench
