// What a reference may say that would come out otherwise than in Python: refused, for a wrong
// answer is worse than none. Each throws UnsupportedText.
#pragma once

#include "reference/torch/text/draft.hpp"
#include "reference/torch/text/reference_text.hpp"

namespace kbench {

// try, yield, classes, :=, ;, **= (which LibTorch does not do in place) and comprehensions with a
// condition.
void refuse_statements(const Draft& draft);

// A decorator that says more than how to compile, and one whose meaning is not known.
void refuse_decorators(const Draft& draft, const ReferenceText& text);

// Refuses at module level: a name that is assigned twice, as every use would get the last value;
// what is written to a table, as that would be lost or kept as LibTorch's optimiser pleases; random
// numbers, as they would depend on when a constant is first used.
void refuse_constants(const Draft& draft, const ReferenceText& text);

// To repeat tokens [first, last) in the rewritten text: not where they call a function of the
// reference or change something.
void refuse_to_repeat(const Draft& draft, std::size_t first, std::size_t last);

}  // namespace kbench
