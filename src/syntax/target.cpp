// What may be assigned to or deleted, and how the error names the rest: language reference 7.2.
#include <array>

#include "syntax/expression_parser.hpp"

namespace kbench::python {

namespace {

struct KindName {
  NodeKind kind;
  std::string_view name;
};
constexpr std::array<KindName, 26> kind_names = {{
    {NodeKind::integer, "literal"},
    {NodeKind::number, "literal"},
    {NodeKind::string, "literal"},
    {NodeKind::format_string, "f-string expression"},
    {NodeKind::name, "name"},
    {NodeKind::unary, "expression"},
    {NodeKind::binary, "expression"},
    {NodeKind::comparison, "comparison"},
    {NodeKind::boolean, "expression"},
    {NodeKind::conditional, "conditional expression"},
    {NodeKind::attribute, "attribute"},
    {NodeKind::subscript, "subscript"},
    {NodeKind::call, "function call"},
    {NodeKind::tuple, "tuple"},
    {NodeKind::list, "list"},
    {NodeKind::set, "set display"},
    {NodeKind::dict, "dict literal"},
    {NodeKind::lambda, "lambda"},
    {NodeKind::generator, "generator expression"},
    {NodeKind::list_comprehension, "list comprehension"},
    {NodeKind::set_comprehension, "set comprehension"},
    {NodeKind::dict_comprehension, "dict comprehension"},
    {NodeKind::starred, "starred"},
    {NodeKind::named, "named expression"},
    {NodeKind::yield, "yield expression"},
    {NodeKind::await, "await expression"},
}};

}  // namespace

std::string ExpressionParser::describe(NodeId id) const {
  const Node& tree = node(id);
  std::string_view text = text_.substr(tree.text_begin, tree.text_end - tree.text_begin);
  if (tree.kind == NodeKind::constant) return text == "..." ? "ellipsis" : std::string(text);
  for (const KindName& entry : kind_names) {
    if (entry.kind == tree.kind) return std::string(entry.name);
  }
  return "expression";
}

bool ExpressionParser::is_single_target(NodeId id) const {
  NodeKind kind = node(id).kind;
  return kind == NodeKind::name || kind == NodeKind::attribute || kind == NodeKind::subscript;
}

NodeId ExpressionParser::invalid_child(NodeId id, Target target) const {
  for (NodeId child = node(id).first_child; child != 0; child = node(child).next) {
    if (NodeId bad = invalid_part(child, target)) return bad;
  }
  return 0;
}

// The first part that is no target, 0 where all are.
NodeId ExpressionParser::invalid_part(NodeId id, Target target) const {
  if (is_single_target(id)) return 0;
  const Node& tree = node(id);
  if (tree.kind == NodeKind::tuple || tree.kind == NodeKind::list) return invalid_child(id, target);
  if (tree.kind == NodeKind::starred && target != Target::remove) {
    return invalid_part(tree.first_child, target);
  }
  return id;
}

void ExpressionParser::check_target(NodeId id, Target target) {
  if (failed()) return;
  NodeId bad = invalid_part(id, target);
  if (bad == 0) return;
  std::string message =
      (target == Target::remove ? "cannot delete " : "cannot assign to ") + describe(bad);
  NodeKind kind = node(bad).kind;
  if (target == Target::assign && kind == NodeKind::yield) {
    message = "assignment to yield expression not possible";
  } else if (target == Target::assign && bad == id && kind != NodeKind::constant) {
    message += " here. Maybe you meant '==' instead of '='?";
  }
  fail(node(bad).begin, std::move(message));
}

NodeId ExpressionParser::star_target() { return at("*") ? starred(false) : bitwise_or(); }

NodeId ExpressionParser::target_list() {
  std::size_t start = begin();
  NodeId first = star_target();
  NodeId id = first;
  if (at(",")) {
    id = make(NodeKind::tuple, start);
    append(id, first);
    while (accept(",")) {
      if (!at("*") && !at_expression()) break;
      append(id, star_target());
    }
    finish(id);
  }
  check_target(id, Target::for_loop);
  return id;
}

void ExpressionParser::colon(bool always) {
  if (accept(":")) return;
  if (always || at(TokenKind::newline)) return fail("expected ':'");
  fail();
}

void ExpressionParser::fail_in_brackets() {
  if (at_literal()) return fail("invalid syntax. Perhaps you forgot a comma?");
  if (at("=")) return fail("invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  fail();
}

}  // namespace kbench::python
