// How a length follows from other lengths, as far as some cases show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kbench {

using CaseLengths = std::vector<std::int64_t>;  // of one dimension, one a case

bool is_constant(const CaseLengths& lengths);

// An axis, and an input that has it.
struct NamedAxis {
  std::string name;
  CaseLengths lengths;
  std::string in_python;  // "a.shape[0]"; "" where no input has it
};

struct LengthRelation {
  std::string axes;       // "size - kernelsize + 1"
  std::string in_python;  // "x.shape[2] - w.shape[2] + 1"
};

// The first of a, a // c, a * c, a + c and a - b + c that gives these lengths in all cases, a and b
// being axes of inputs. Nothing where none does.
std::optional<LengthRelation> relation_for(const std::vector<NamedAxis>& axes,
                                           const CaseLengths& wanted);

}  // namespace kbench
