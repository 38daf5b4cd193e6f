// An expression of a constraint, a condition or a size, compiled once: its value
// (formula_value.hpp), its bounds and its C++ text are made from these nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "syntax/python.hpp"

namespace kbench {

struct Formula {
  enum class Code : std::uint8_t {
    number,
    name,
    size,      // names[value].shape[operand]
    element,   // names[value][operand]
    length,    // len(names[value])
    no_value,  // detail: its NoInteger; `value`: what of `words` it speaks of
    invert,    // ~a
    logical_not,
    arithmetic,  // detail: IntegerOperator
    comparison,  // operands, and between each two the number of their IntegerComparison
    logical_or,
    logical_and,
    conditional,  // value if true, condition, value if false
    minimum,
    maximum,
  };
  struct Node {
    Code code = Code::number;
    std::uint8_t detail = 0;
    std::uint32_t first = 0;  // operands: a run of `children`
    std::uint32_t count = 0;
    std::int64_t value = 0;
  };

  std::vector<Node> nodes;  // an operand stands before what it is of; the last one is the whole
  std::vector<std::uint32_t> children;
  std::vector<std::string> names;  // each once, in the order of the text: "n", "x.dtype"
  std::vector<std::string> words;  // attributes that are no names

  std::uint32_t whole() const { return static_cast<std::uint32_t>(nodes.size() - 1); }
  std::uint32_t child(const Node& node, std::uint32_t i) const { return children[node.first + i]; }
};

// Parts that are no integers, arithmetic and comparisons have no value.
Formula compile_formula(const python::Expression& expression);

}  // namespace kbench
