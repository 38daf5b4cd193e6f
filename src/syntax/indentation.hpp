// The stack of indentations of language reference 2.1.8.
#pragma once

#include <cstddef>
#include <vector>

namespace kbench::python {

// The width of a line's leading space, once with tabs to the next multiple of 8 and once with tabs
// of one column: the two must rank every pair of lines alike, or the text mixes tabs and spaces.
struct Width {
  std::size_t wide = 0;
  std::size_t narrow = 0;
};

class Indentation {
 public:
  enum class Fault { none, mixed, mismatch, too_deep };
  struct Step {
    Fault fault = Fault::none;
    std::size_t indents = 0;
    std::size_t dedents = 0;
  };

  // Moves to a line of this width.
  Step to(Width width);

 private:
  Step deeper(Width width);

  std::vector<Width> stack_ = {{}};
};

}  // namespace kbench::python
