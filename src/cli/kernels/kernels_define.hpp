// A Definition to begin with, from an operator's schema: kbench kernels define.
#pragma once

#include <string>
#include <vector>

#include "kernels/operators/catalogue.hpp"
#include "kernels/operators/schema.hpp"

namespace kbench {

struct DraftWords {
  std::vector<std::string> inputs, outputs;  // "self:rows,d=64:float32", described_definition.hpp
  std::vector<std::string> arguments;        // "dim=[1]": JSON, else a word
};

// The text of the Definition. Its run() calls PyTorch's function that returns what the operator
// writes, where `catalogue` has one; otherwise it says what is to be written. Words that are wrong,
// or do not fit the schema, are in `problems`.
std::string operator_draft(const ops::Schema& schema, const DraftWords& words,
                           const ops::Catalogue* catalogue, std::vector<std::string>& problems);

}  // namespace kbench
