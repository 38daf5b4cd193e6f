// Rewritings of lists and tuples that LibTorch's compiler types otherwise than Python does.
#pragma once

#include <cstddef>

#include "reference/torch/text/draft.hpp"

namespace kbench {

// f(*a, b, c, k=1) → f((a) + [b, c], k=1), and so in tuples and lists: the operators take a list
// where Python's torch takes any number of integers. `open` is the bracket.
void starred(Draft& draft, std::size_t open);

// tuple(x.shape): a shape is a list whose length LibTorch does not know, and serves as one.
void shape_tuple(Draft& draft, std::size_t i);

// cols = [] is a list of tensors to LibTorch; cols.append(int(…)) shows that it is not.
void empty_list(Draft& draft, const DraftLine& line);

}  // namespace kbench
