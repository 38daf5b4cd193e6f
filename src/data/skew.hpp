// How the numbers of inputs that mean something are drawn: indices, lengths, routes.
#pragma once

#include <cstdint>

namespace kbench {

enum class Skew : std::uint8_t {
  none,  // each as likely
  ends,  // each as likely, but the first and the last of what there is come
  high,  // mostly the last; one sequence has all that it can have
  low,   // the first alone; sequences as long as tiles are, and one more or less
  empty  // as likely, but some sequences and rows have no element, others have holes
};

}  // namespace kbench
