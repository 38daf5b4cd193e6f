#include "syntax/indentation.hpp"

#include "syntax/lexeme.hpp"

namespace kbench::python {

Indentation::Step Indentation::deeper(Width width) {
  if (stack_.size() > max_indentations) return {Fault::too_deep};
  if (width.narrow <= stack_.back().narrow) return {Fault::mixed};
  stack_.push_back(width);
  return {Fault::none, 1, 0};
}

Indentation::Step Indentation::to(Width width) {
  if (width.wide > stack_.back().wide) return deeper(width);
  Step step;
  while (stack_.size() > 1 && width.wide < stack_.back().wide) {
    stack_.pop_back();
    ++step.dedents;
  }
  if (width.wide != stack_.back().wide) {
    step.fault = Fault::mismatch;
  } else if (width.narrow != stack_.back().narrow) {
    step.fault = Fault::mixed;
  }
  return step;
}

}  // namespace kbench::python
