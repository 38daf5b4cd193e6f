// How large a gradient is where nothing in it cancels.
#pragma once

#include <cstddef>
#include <vector>

#include "judge/derive/gradient_answer.hpp"

namespace kbench {

// Returns the sizes that may cancel in the gradient by input number `place`: ‖dy·y‖ over all
// floating outputs, relative to the input's root mean square. Both are taken where the leading
// indices are the same, as far as the input shares its leading axes with every floating output by
// name; one number for each of as many equal parts of the gradient. A gradient that is zero in
// exact arithmetic, that of attention over one key by its query, is a difference of numbers of this
// size in any other.
std::vector<double> cancelling_sizes(const GradientQuestion& question, const Cotangent& cotangent,
                                     std::size_t place);

}  // namespace kbench
