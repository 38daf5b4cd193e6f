#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "reference/torch/script/meaning.hpp"

namespace kbench {
namespace {

using enum torch::jit::TokenKind;
using torch::jit::Apply;
using torch::jit::Const;
using torch::jit::Expr;
using torch::jit::Select;
using torch::jit::TreeRef;
using torch::jit::Var;

constexpr std::string_view builtins = " range len enumerate int float bool min max ";
constexpr std::string_view attributes = " shape dtype device T mT ndim values indices ";
constexpr std::string_view operators =
    " abs add addmm all amax amin any arange argmax argmin argsort baddbmm bmm cat chunk clamp"
    " clamp_max clamp_min clone contiguous cos cumprod cumsum diagonal dim div dot einsum empty"
    " empty_like eq erf exp expand expand_as expm1 flatten flip float floor full full_like gather"
    " ge gt index_add index_select int isfinite isinf isnan item le log log1p log2 log_softmax"
    " logical_and logical_not logical_or logsumexp long lt masked_fill matmul max maximum mean min"
    " minimum mm movedim mul multinomial mv nan_to_num narrow ne neg nonzero numel ones ones_like"
    " outer permute pow prod reciprocal relu repeat repeat_interleave reshape roll round rsqrt"
    " scatter scatter_add select sigmoid sign sin size softmax sort sqrt square squeeze stack std"
    " sub sum t tanh tensor to topk transpose tril triu type_as unbind unflatten unsqueeze var view"
    " where zeros zeros_like ";
constexpr std::string_view changing_methods =
    " add_ clamp_ copy_ div_ fill_ index_add_ index_copy_ masked_fill_ mul_ scatter_ scatter_add_"
    " sub_ zero_ ";

// Kinds of trees, by kindToString(), of which only the parts are to be looked at.
constexpr std::string_view plain =
    " + - * / @ & | ^ << >> < > is is not ne eq le ge list option attribute pass continue break "
    "dots True"
    " False None unary minus slice expr tuple-literal list-literal ";

bool is_floating_literal(std::string_view number) {
  return number.find_first_of(".eE") != number.npos;
}

using Names = std::set<std::string>;

bool is_any(int kind, std::initializer_list<int> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool is_comparison(int kind) {
  return is_any(kind, {'<', '>', TK_EQ, TK_NE, TK_LE, TK_GE, TK_IS, TK_ISNOT, TK_IN});
}

template <class Predicate>
bool any_part(const TreeRef& tree, const Predicate& holds) {
  return std::any_of(tree->trees().begin(), tree->trees().end(), holds);
}

bool has_call(const TreeRef& tree) { return tree->kind() == TK_APPLY || any_part(tree, has_call); }

[[noreturn]] void refuse(const TreeRef& tree, const char* why) {
  throw(torch::jit::ErrorReport(tree->range()) << why);
}

// Returns the variables of an assignment's targets.
Names names_in(const TreeRef& tree) {
  if (tree->kind() == TK_VAR) return {Var(tree).name().name()};
  Names names;
  if (tree->kind() == TK_SUBSCRIPT) return names;
  for (const TreeRef& part : tree->trees()) names.merge(names_in(part));
  return names;
}

bool is_module(const Select& select, const ReferenceText& text) {
  Expr root = select.value();
  while (root.kind() == '.') root = Select(root).value();
  return root.kind() == TK_VAR && text.modules.count(Var(root).name().name()) > 0;
}

// Refuses all but plain numbers; products of three such integers stay within 64 bits.
void check_number(const TreeRef& tree) {
  std::string_view number = Const(tree).text();
  if (number.starts_with('-')) number.remove_prefix(1);
  const bool is_plain = number.find_first_not_of("0123456789.eE+-") == number.npos &&
                        !number.starts_with('-') && !number.starts_with('+');
  if (!is_plain) refuse(tree, "a number in another notation");
  if (is_floating_literal(number)) return;
  if (number.size() > 7 || std::stoi(std::string(number)) > (1 << 20))
    refuse(tree, "an integer above 2^20");
}

// Refuses a GPU that may be there: no reference may use it.
void check_text(const TreeRef& tree) {
  const std::string& text = torch::jit::StringLiteral(tree).text();
  const bool is_plain = std::all_of(text.begin(), text.end(),
                                    [](char c) { return c >= ' ' && c <= '~' && c != '\\'; });
  if (!is_plain || text.starts_with("cuda")) refuse(tree, "a text that is not plain");
}

// LibTorch takes a dtype for an integer, so the view() it finds is the one that takes sizes.
void check_view(const Apply& call) {
  const auto sizes = call.inputs();
  if (sizes.empty() || !call.attributes().empty())
    refuse(call, "a view that may be one of a dtype");
  const Expr first = sizes[0];
  const bool is_shape = is_any(first.kind(), {TK_CONST, TK_TUPLE_LITERAL, TK_LIST_LITERAL}) ||
                        (first.kind() == '.' && Select(first).selector().name() == "shape");
  if (sizes.size() == 1 && !is_shape) refuse(call, "a view that may be one of a dtype");
}

void check_subscript(const torch::jit::Subscript& subscript) {
  for (const Expr& index : subscript.subscript_exprs())
    if (is_any(index.kind(), {TK_LIST_LITERAL, TK_TUPLE_LITERAL, TK_TRUE, TK_FALSE}))
      refuse(subscript, "an index that is no number, slice or tensor");
}

// Names that folding of constants may make floats of, before their types are looked at.
class FloatNames {
 public:
  explicit FloatNames(const ReferenceText& text) : text_(text) {}

  void add(const Names& names) { names_.insert(names.begin(), names.end()); }

  bool is_floating(const TreeRef& tree) const {
    switch (tree->kind()) {
      case '/':
        return true;
      case TK_CONST:
        return is_floating_literal(Const(tree).text());
      case '.':
        return is_module(Select(tree), text_);
      case TK_VAR:
        return is_float(Var(tree).name().name());
      case TK_APPLY:
        if (Apply(tree).callee().kind() == '.') return is_floating(Apply(tree).callee());
        break;
      default:
        break;
    }
    return any_part(tree, [&](const TreeRef& part) { return is_floating(part); });
  }

 private:
  bool is_float(const std::string& name) const {
    const auto constant = text_.constants.find(name);
    return names_.count(name) > 0 || name == "float" ||
           (constant != text_.constants.end() && is_floating_literal(constant->second));
  }

  const ReferenceText& text_;
  Names names_;
};

// Reads of names. LibTorch drops what nobody reads, even if it fails or draws numbers.
class ReadNames {
 public:
  void read(const std::string& name) {
    if (own_.count(name) == 0) read_.insert(name);
  }
  // Begins an assignment: a read of its own targets counts for nobody else.
  void enter(const Names& targets) { own_ = targets; }
  void leave(const TreeRef& statement, const Expr& value) {
    if (has_call(value) && !own_.empty())
      computed_.push_back({statement, own_, value.kind() == TK_TUPLE_LITERAL});
    own_.clear();
  }

  void refuse_unread() const {
    const auto is_read = [&](const std::string& name) { return read_.count(name) > 0; };
    for (const auto& [statement, names, by_parts] : computed_) {
      const bool is_used = by_parts ? std::all_of(names.begin(), names.end(), is_read)
                                    : std::any_of(names.begin(), names.end(), is_read);
      if (!is_used) refuse(statement, "nothing reads it");
    }
  }

 private:
  struct Computed {
    TreeRef statement;
    Names names;
    bool by_parts;
  };
  std::vector<Computed> computed_;
  Names read_, own_;
};

class FunctionCheck {
 public:
  explicit FunctionCheck(const ReferenceText& text) : text_(text), floats_(text) {}

  // Returns the functions of the reference that it calls.
  Names check(const torch::jit::Def& function) {
    Names parameters;
    for (const torch::jit::Param& parameter : function.decl().params())
      parameters.insert(parameter.ident().name());
    add_locals(function.tree(), parameters);
    check(function.statements().tree());
    reads_.refuse_unread();
    return called_;
  }

 private:
  // Checks a tree; `is_condition`: only its truth counts.
  void check(const TreeRef& tree, bool is_condition = false) {
    const int kind = tree->kind();
    if (is_any(kind, {TK_STRING, TK_IDENT})) return;
    if (is_any(kind, {TK_AND, TK_OR, TK_NOT, '~'})) return check_logic(tree, is_condition);
    if (is_any(kind, {TK_ASSIGN, TK_AUG_ASSIGN, TK_EXPR_STMT, TK_FOR, TK_RETURN}))
      return check_statement(tree);
    const bool has_condition = is_any(kind, {TK_IF, TK_IF_EXPR, TK_ASSERT});
    if (has_condition)
      check(tree->tree(0), true);
    else
      check_expression(tree);
    const bool is_done = is_any(kind, {'.', TK_VAR, TK_CONST, TK_STRINGLITERAL, TK_APPLY});
    for (std::size_t i = has_condition ? 1 : 0; i < tree->trees().size() && !is_done; ++i)
      check(tree->tree(i));
  }

  void check_expression(const TreeRef& tree) {
    switch (tree->kind()) {
      case TK_VAR:
        return reads_.read(Var(tree).name().name());
      case TK_CONST:
        return check_number(tree);
      case TK_STRINGLITERAL:
        return check_text(tree);
      case '.':
        return check_attribute(Select(tree));
      case TK_APPLY:
        return check_call(Apply(tree));
      case TK_SUBSCRIPT:
        return check_subscript(torch::jit::Subscript(tree));
      default:
        return check_operator(tree);
    }
  }

  // Leaves the operands, which are looked at elsewhere.
  void check_operator(const TreeRef& tree) const {
    const int kind = tree->kind();
    if (is_any(kind, {TK_FLOOR_DIV, '%'}) && !floats_.is_floating(tree)) return;
    if (is_any(kind, {TK_IS, TK_ISNOT}) && tree->tree(1)->kind() != TK_NONE)
      refuse(tree, "\"is\" with something other than None");
    const auto is_compared = [](const TreeRef& part) { return is_comparison(part->kind()); };
    if (is_comparison(kind) && any_part(tree, is_compared)) refuse(tree, "a chain of comparisons");
    if (!is_listed(torch::jit::kindToString(kind), plain))
      refuse(tree, "a construct that is left to Python");
  }

  // LibTorch ranks `and` beside `or`, `~` below all of arithmetic, and makes truths of operands.
  void check_logic(const TreeRef& tree, bool is_condition) {
    const int kind = tree->kind();
    const bool joins = is_any(kind, {TK_AND, TK_OR});
    if (joins && !is_condition) refuse(tree, "\"and\" or \"or\" that gives an operand");
    for (const TreeRef& part : tree->trees()) {
      const int inner = part->kind();
      if (joins && inner != kind && is_any(inner, {TK_AND, TK_OR}))
        refuse(tree, "\"and\" beside \"or\"");
      if (kind == '~' && !is_any(inner, {TK_VAR, TK_APPLY, TK_SUBSCRIPT, '.'}))
        refuse(tree, "\"~\" of an expression");
      check(part, kind != '~');
    }
  }

  void check_statement(const TreeRef& tree) {
    switch (tree->kind()) {
      case TK_ASSIGN:
        return check_assignment(torch::jit::Assign(tree));
      case TK_AUG_ASSIGN: {
        const torch::jit::AugAssign assign(tree);
        if (!is_any(assign.aug_op(), {'+', '-', '*', '/'})) refuse(tree, "it is not in place");
        return check_value(assign.rhs(), {assign.lhs()}, tree);
      }
      case TK_EXPR_STMT:
        return check_lone(torch::jit::ExprStmt(tree).expr());
      case TK_FOR:
        add_locals(tree, names_in(torch::jit::For(tree).targets()));
        check(torch::jit::For(tree).itrs().tree());
        return check(torch::jit::For(tree).body().tree());
      default: {
        const Expr value = torch::jit::Return(tree).expr();
        if (value.kind() != TK_DICT_LITERAL) return check(value);
        for (const TreeRef& part : value.tree()->trees()) check(part);
      }
    }
  }

  void check_assignment(const torch::jit::Assign& assign) {
    if (assign.type().present() || !assign.rhs().present()) refuse(assign, "an annotation");
    std::vector<Expr> targets;
    for (const Expr& target : assign.lhs_list()) targets.push_back(target);
    check_value(assign.rhs().get(), targets, assign);
  }

  void check_value(const Expr& value, const std::vector<Expr>& targets, const TreeRef& statement) {
    Names names;
    for (const Expr& target : targets) {
      // Python evaluates the value first, and a target once.
      if (target.kind() == '.' || has_call(target)) refuse(target, "a target that calls something");
      names.merge(names_in(target));
      if (target.kind() == TK_SUBSCRIPT) check(target);
    }
    add_locals(statement, names);
    reads_.enter(names);
    check(value);
    reads_.leave(statement, value);
    if (floats_.is_floating(value)) floats_.add(names);
  }

  // Checks a statement that is an expression: a text, or a call for what it changes.
  void check_lone(const Expr& expression) {
    if (expression.kind() == TK_STRINGLITERAL) return;
    if (expression.kind() != TK_APPLY || Apply(expression).callee().kind() != '.')
      refuse(expression, "nothing reads it");
    const std::string method = Select(Apply(expression).callee()).selector().name();
    if (!is_listed(method, changing_methods)) refuse(expression, "nothing reads it");
    check(expression);
  }

  void check_attribute(const Select& select) {
    if (is_module(select, text_)) return;
    if (!is_listed(select.selector().name(), attributes)) refuse(select, "an unlisted attribute");
    check(select.value());
  }

  void check_call(const Apply& call) {
    const Expr callee = call.callee();
    if (callee.kind() == TK_VAR)
      check_function(call, Var(callee).name().name());
    else if (callee.kind() != '.')
      refuse(call, "a call of a value");
    else if (!is_module(Select(callee), text_))
      check_method(call, Select(callee));
    check(call.inputs().tree());
    check(call.attributes().tree());
  }

  void check_function(const Apply& call, const std::string& name) {
    if (text_.function(name) != nullptr)
      called_.insert(name);
    else if (!is_listed(name, builtins))
      refuse(call, "an unlisted function");
    const bool compares = name == "min" || name == "max";
    if (compares && floats_.is_floating(call.inputs().tree())) refuse(call, "floats in min or max");
  }

  void check_method(const Apply& call, const Select& select) {
    const std::string name = select.selector().name();
    if (!is_operator(name) && !is_listed(name, changing_methods))
      refuse(call, "an unlisted method");
    check(select.value());
    if (name == "view") check_view(call);
  }

  // Refuses local names that mean something else outside of the function.
  void add_locals(const TreeRef& tree, const Names& names) const {
    for (const std::string& name : names)
      if (text_.function(name) != nullptr || text_.modules.count(name) > 0 ||
          is_listed(name, builtins))
        refuse(tree, "a name that means something else outside of the function");
  }

  const ReferenceText& text_;
  FloatNames floats_;
  ReadNames reads_;
  Names called_;
};

}  // namespace

bool is_listed(std::string_view word, std::string_view list) {
  return list.find(" " + std::string(word) + " ") != list.npos;
}

bool is_operator(std::string_view name) { return is_listed(name, operators); }

std::set<std::string> refuse_other_trees(const torch::jit::Def& function,
                                         const ReferenceText& text) {
  return FunctionCheck(text).check(function);
}

}  // namespace kbench
