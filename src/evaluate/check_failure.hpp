// The Definition's own check() failed itself on what a candidate has left: docs/verdict.md.
#pragma once

#include <stdexcept>
#include <string>

namespace kbench {

// A mistake of the Definition, which says nothing of the candidate: that has no record then.
struct CheckFailure : std::runtime_error {
  CheckFailure(const std::string& what, int at) : std::runtime_error(what), line(at) {}
  int line = 0;  // of the reference's text, from 1; 0 unknown
};

}  // namespace kbench
