// The expression trees of one statement, in one vector: a module is checked statement by statement
// and its trees are dropped, so that long texts cost no allocation per node.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kbench::python {

using NodeId = std::uint32_t;  // 0 is "no node"

enum class NodeKind : std::uint8_t {
  none,
  integer,
  number,
  string,
  format_string,
  constant,
  name,
  unary,
  binary,
  comparison,
  comparator,  // between two operands of a comparison
  boolean,
  conditional,
  attribute,
  subscript,
  call,
  tuple,
  list,
  set,
  dict,
  lambda,
  generator,
  list_comprehension,
  set_comprehension,
  dict_comprehension,
  slice,
  starred,
  named,  // name := value
  yield,
  await,
};

struct Node {
  NodeKind kind = NodeKind::none;
  std::uint16_t depth = 1;  // of the tree below, this node included
  NodeId first_child = 0;
  NodeId last_child = 0;
  NodeId next = 0;        // sibling
  std::size_t begin = 0;  // bytes of the text, with the parentheses around it
  std::size_t end = 0;
  std::size_t text_begin = 0;  // the operator, attribute, name or literal
  std::size_t text_end = 0;
};

// CPython refuses deeper trees too ("maximum recursion depth exceeded during ast construction");
// here it bounds the parser's own recursion and that of the tree's destructor.
inline constexpr unsigned max_depth = 2900;

}  // namespace kbench::python
