// Expressions: language reference chapter 6, in the shape of CPython 3.11's grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "syntax/lexeme.hpp"

namespace kbench::python {

// The expression trees of one statement lie in one vector: a module is checked statement by
// statement and its trees are dropped, so that long texts cost no allocation per node.

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
  comparator,  // stands between two operands of a comparison
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
  std::uint16_t depth = 1;  // levels of the tree below, this node included
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

class ExpressionParser : public Cursor {
 public:
  ExpressionParser(std::string_view text, std::vector<Lexeme> lexemes);

  // Eval mode: one expression or tuple and nothing else.
  NodeId whole_expression();

  const Node& node(NodeId id) const { return nodes_[id]; }

 protected:
  // Grammar rules. A rule reads as much as it can and leaves the cursor behind it.
  NodeId expression();
  NodeId named_expression();
  NodeId star_expression();        // *a or an expression
  NodeId star_expressions();       // commas make a tuple
  NodeId star_named_expression();  // *a, a := b or an expression
  NodeId yield_expression();
  NodeId yield_or_star_expressions();
  NodeId disjunction();
  NodeId bitwise_or();
  NodeId target_list();  // targets of for … in: items of bitwise_or, commas, stars
  // Reads up to `)` of a function or `:` of a lambda; `out` null where nobody asks.
  enum class ParameterList { function, lambda };
  void parameters(ParameterList list, std::vector<Parameter>* out);

  void drop_nodes() { nodes_.resize(1); }
  bool accept_augmented();  // += and its like
  void fail_in_brackets();  // a closing bracket is missing

 private:
  class Level;  // one level of recursion

  NodeId make(NodeKind kind, std::size_t begin);
  NodeId leaf(NodeKind kind);  // the current lexeme
  NodeId finish(NodeId id);    // ends it behind the last lexeme read
  void append(NodeId parent, NodeId child);
  void set_text(NodeId id, std::size_t begin, std::size_t end);
  NodeId with_children(NodeKind kind, std::size_t begin, std::initializer_list<NodeId> children);

  NodeId conditional();
  NodeId lambda();
  NodeId conjunction();
  NodeId inversion();
  NodeId comparison();
  bool at_comparator() const;
  NodeId comparator();
  NodeId binary(int weakest);
  NodeId factor();
  NodeId await_primary();
  NodeId primary();
  NodeId trailer(NodeId left, std::size_t begin);
  NodeId atom();
  NodeId number_atom();
  NodeId parenthesised();
  NodeId inside_parentheses(std::size_t begin);
  NodeId list();
  NodeId braces();
  void dict_items(NodeId dict);
  void dict_item(NodeId dict);
  NodeId rest_of_tuple(NodeId first, std::size_t begin);
  void star_named_list(NodeId parent, Symbol close);
  void for_if_clauses(NodeId comprehension);
  NodeId comprehension(NodeKind kind, NodeId element, std::size_t begin);
  bool at_for() const { return at("for") || (at("async") && at("for", 1)); }
  NodeId slices();
  NodeId slice();
  NodeId starred(bool whole_expression);
  NodeId star_target();  // an item of target_list()
  NodeId strings();

  struct ArgumentState;
  void arguments(NodeId call);  // reads from behind '(' past the ')'
  void argument(NodeId call, ArgumentState& state);
  void positional_argument(NodeId call, ArgumentState& state);

  struct ParameterState;
  void parameter(ParameterState& state);
  void star_parameter(ParameterState& state);
  void double_star_parameter(ParameterState& state);
  void slash(ParameterState& state);
  void plain_parameter(ParameterState& state);
  void annotation(ParameterState& state, Parameter& parameter);

  NodeId invalid_target(NodeId id) const;  // the first part that may not be assigned to, or 0

  unsigned depth_ = 0;
  std::vector<Node> nodes_;
};

// Adapts a tree to the public one.
ExpressionPtr to_expression(const ExpressionParser& parser, std::string_view text, NodeId id);

}  // namespace kbench::python
