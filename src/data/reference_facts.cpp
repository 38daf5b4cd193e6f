#include "data/reference_facts.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "base/words.hpp"
#include "problem/bind.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;
using python::Token;
using python::TokenKind;

// What is known of a value: the input whose elements it has, if their first axes are still those of
// the input, and the input whose elements it may be used as an index for.
struct Known {
  std::string tensor;
  std::size_t leading = 1;  // axes of the input that its first axis stands for
  std::string index;
};

// `-1` and `0`
bool is_integer(const Expression& e, long long value) {
  if (value < 0)
    return e.kind == Node::unary && e.text == "-" && is_integer(*e.operands[0], -value);
  return e.kind == Node::integer && e.value == value;
}

class Reader {
 public:
  Reader(const Definition& definition, ReferenceFacts& facts)
      : definition_(definition), facts_(facts), text_(definition.reference) {
    for (const auto& [name, spec] : definition.inputs) {
      const bool integer = info(spec.dtype).kind == DTypeKind::integer;
      known_[name] = {spec.shape ? name : "", 1, integer ? name : ""};
    }
  }

  // One logical line: tokens without the line break.
  void line(std::span<const Token> tokens) {
    if (tokens.empty()) return;
    const std::string_view first = word(tokens.front());
    if (first == "def" || first == "class" || first == "@" || first == "import" || first == "from")
      return;
    if (first == "continue") facts_.skips = true;
    const bool loop = first == "for";
    const bool headed = loop || is_one_of(first, {"if", "elif", "while", "assert", "return"});
    const auto parts = split(headed ? tokens.subspan(1) : tokens, loop, first == "assert");
    if (first == "assert" && !parts.empty()) {
      facts_.checks.emplace_back(
          text_.substr(parts[0].front().begin, parts[0].back().end - parts[0].front().begin));
    }
    assign(parts);
  }

 private:
  using Tokens = std::span<const Token>;

  std::string_view word(const Token& token) const {
    return std::string_view(text_).substr(token.begin, token.end - token.begin);
  }

  // The expressions of a line: at `=`, `+=`, the `in` of a loop, the ',' of an assert and ':'.
  std::vector<Tokens> split(Tokens tokens, bool loop, bool assertion) const {
    std::vector<Tokens> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= tokens.size(); ++i) {
      const std::string_view at = i == tokens.size() ? "=" : word(tokens[i]);
      if (is_one_of(at, {"(", "[", "{"})) ++depth;
      if (is_one_of(at, {")", "]", "}"})) --depth;
      const bool between = is_one_of(at, {"=", ":", "+=", "-=", "*=", "/=", "|=", "&="}) ||
                           (loop && at == "in") || (assertion && at == ",");
      if (depth != 0 || !between) continue;
      if (i > begin) parts.push_back(tokens.subspan(begin, i - begin));
      begin = i + 1;
    }
    return parts;
  }

  python::ExpressionPtr parse(Tokens tokens) const {
    const std::string part =
        text_.substr(tokens.front().begin, tokens.back().end - tokens.front().begin);
    auto parsed = python::parse_expression(part);
    auto* tree = std::get_if<python::ExpressionPtr>(&parsed);
    return tree == nullptr ? nullptr : std::move(*tree);
  }

  void assign(const std::vector<Tokens>& parts) {
    Known value;
    for (std::size_t i = parts.size(); i-- > 0;) {
      base_ = parts[i].front().begin;
      const auto tree = parse(parts[i]);
      if (tree == nullptr) continue;
      if (i + 1 == parts.size()) {
        value = evaluate(*tree);
        if (parts.size() > 1) name_lengths(parts[0], *tree);
      } else if (tree->kind == Node::name) {
        known_[tree->text] = value;
      } else if (tree->kind == Node::other) {
        for (const auto& target : tree->operands) {
          if (target->kind == Node::name) known_[target->text] = {"", 1, value.index};
        }
      } else {
        evaluate(*tree);
      }
    }
  }

  std::vector<std::string> names_in(Tokens tokens) const {
    std::vector<std::string> names;
    for (const Token& token : tokens) {
      if (token.kind == TokenKind::name) names.emplace_back(word(token));
    }
    return names;
  }

  // T, H = x.shape; T = x.shape[0]; page_size = 64
  void name_lengths(Tokens targets, const Expression& value) {
    const std::vector<std::string> names = names_in(targets);
    const bool single = names.size() == 1;
    if (value.kind == Node::integer && single) facts_.constants[names[0]] = value.value;
    const bool item = value.kind == Node::subscript;
    const Expression& shape = item ? *value.operands[0] : value;
    if (shape.kind != Node::attribute || shape.text != "shape") return;
    const auto* axes = axes_of(evaluate(*shape.operands[0]));
    if (axes == nullptr) return;
    if (item && single) return name_length(names[0], *axes, *value.operands[1]);
    for (std::size_t i = 0; !item && i < std::min(names.size(), axes->size()); ++i)
      facts_.axes[names[i]] = (*axes)[i];
  }

  void name_length(const std::string& name, const std::vector<std::string>& axes,
                   const Expression& index) {
    if (is_integer(index, -1)) {
      facts_.axes[name] = axes.back();
    } else if (index.kind == Node::integer && index.value < std::ssize(axes)) {
      facts_.axes[name] = axes[static_cast<std::size_t>(index.value)];
    }
  }

  const std::vector<std::string>* axes_of(const Known& value) const {
    const TensorSpec* spec = definition_.inputs.find(value.tensor);
    return spec == nullptr || !spec->shape || value.leading != 1 || spec->shape->empty()
               ? nullptr
               : &*spec->shape;
  }

  Known evaluate(const Expression& e) {
    switch (e.kind) {
      case Node::name: {
        const auto found = known_.find(e.text);
        return found == known_.end() ? Known{} : found->second;
      }
      case Node::call:
        return call(e);
      case Node::subscript:
        return subscript(e);
      case Node::comparison:
        return comparison(e);
      case Node::binary:
        return binary(e);
      default:
        for (const auto& operand : e.operands) evaluate(*operand);
        return {};
    }
  }

  Known binary(const Expression& e) {
    const Known left = evaluate(*e.operands[0]);
    evaluate(*e.operands[1]);
    if (e.text == ">>" && is_integer(*e.operands[1], 16)) facts_.packed.insert(left.index);
    return {"", 1, is_one_of(e.text, {">>", "&"}) ? left.index : ""};
  }

  Known comparison(const Expression& e) {
    for (std::size_t i = 0; i < e.operands.size(); ++i) {
      const Known value = evaluate(*e.operands[i]);
      if (value.index.empty() || i + 1 >= e.operands.size()) continue;
      const Expression& other = *e.operands[i + 1];
      const std::string& op = e.comparators[i];
      if (is_integer(other, -1) || (is_integer(other, 0) && is_one_of(op, {"<", ">="})))
        facts_.padded.insert(value.index);
    }
    return {};
  }

  Known call(const Expression& e) {
    const Expression& callee = *e.operands[0];
    std::vector<Known> arguments;
    for (std::size_t i = 1; i < e.operands.size(); ++i)
      arguments.push_back(evaluate(*e.operands[i]));
    const Known first = arguments.empty() ? Known{} : arguments[0];
    if (callee.kind == Node::name) {
      const bool same = is_one_of(callee.text, {"int", "enumerate", "sorted", "list", "reversed"});
      return {"", 1, same ? first.index : ""};
    }
    if (callee.kind != Node::attribute) return {};
    const Known self = evaluate(*callee.operands[0]);
    note_use(callee.text, self.tensor.empty() ? first : self, arguments);
    if (callee.text == "bitwise_right_shift" && e.operands.size() == 3 &&
        is_integer(*e.operands[2], 16)) {
      facts_.packed.insert(first.index);
      return {"", 1, first.index};
    }
    return method(callee.text, self, e);
  }

  // `subject`: x of x.f(…), else the first argument.
  void note_use(const std::string& function, const Known& subject,
                const std::vector<Known>& arguments) {
    if (arguments.empty()) return;
    if (function == "embedding" && arguments.size() >= 2) gather(arguments[0], arguments[1], 0);
    if (function == "index_select") gather(arguments.back(), subject, 0);
    if (function == "multinomial") facts_.weights.insert(subject.tensor);
  }

  Known method(const std::string& name, const Known& self, const Expression& e) const {
    if (is_one_of(name, {"to", "float", "long", "int", "clone", "contiguous", "detach", "half",
                         "double", "bfloat16", "type", "squeeze"}))
      return self;
    if (is_one_of(name, {"numel", "size", "dim", "max", "min", "sum", "any", "all"})) return {};
    const std::size_t leading = flattened(name, self, e);
    return leading > 0 ? Known{self.tensor, leading, self.index} : Known{"", 1, self.index};
  }

  // How many axes x.reshape(-1, a, b) and x.flatten(0, 1) make one; 0 where it is not known.
  std::size_t flattened(const std::string& name, const Known& self, const Expression& e) const {
    const TensorSpec* spec = definition_.inputs.find(self.tensor);
    const std::size_t rank = spec != nullptr && spec->shape ? spec->shape->size() : 0;
    const std::size_t arguments = e.operands.size() - 1;
    if (arguments == 0 || arguments > rank) return 0;
    if (is_one_of(name, {"reshape", "view"}))
      return is_integer(*e.operands[1], -1) ? rank + 1 - arguments : 0;
    const bool ends = name == "flatten" && arguments == 2 && e.operands[2]->kind == Node::integer &&
                      is_integer(*e.operands[1], 0);
    return ends ? static_cast<std::size_t>(e.operands[2]->value) + 1 : 0;
  }

  // a[i], a[i, j], a[:, j]: elements of integer inputs among the indices say what they index.
  Known subscript(const Expression& e) {
    const Known base = evaluate(*e.operands[0]);
    const Expression& index = *e.operands[1];
    if (is_tuple(index)) {
      for (std::size_t i = 0; i < index.operands.size(); ++i)
        gather(evaluate(*index.operands[i]), base, i);
    } else {
      gather(evaluate(index), base, 0);
    }
    return {"", 1, base.index};
  }

  // A slice has ':' after its first part, a tuple ','.
  bool is_tuple(const Expression& e) const {
    if (e.kind != Node::other || e.operands.empty()) return false;
    std::size_t at = base_ + e.operands[0]->end;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\n')) ++at;
    return at < text_.size() && text_[at] == ',' && text_[base_ + e.begin] != '[';
  }

  void gather(const Known& index, const Known& base, std::size_t position) {
    if (index.index.empty() || base.tensor.empty() || index.index == base.tensor) return;
    const TensorSpec* spec = definition_.inputs.find(base.tensor);
    if (spec == nullptr || !spec->shape) return;
    const std::size_t first = position == 0 ? 0 : position + base.leading - 1;
    const std::size_t count = position == 0 ? base.leading : 1;
    if (first + count <= spec->shape->size())
      facts_.gathers.emplace(index.index, Gather{base.tensor, first, count});
  }

  const Definition& definition_;
  ReferenceFacts& facts_;
  const std::string& text_;
  std::size_t base_ = 0;  // byte of the text that the tree at hand begins at
  std::map<std::string, Known> known_;
};

void read_defaults(const Definition& definition, ReferenceFacts& facts) {
  const auto parsed = python::parse_module(definition.reference);
  const auto* module = std::get_if<python::Module>(&parsed);
  if (module == nullptr) return;
  for (const python::Function& function : module->functions) {
    if (function.name != "run") continue;
    for (const python::Parameter& parameter : function.parameters) {
      if (parameter.has_default)
        facts.defaults[parameter.name] = std::string(parameter.default_value);
    }
  }
}

}  // namespace

ReferenceFacts reference_facts(const Definition& definition) {
  ReferenceFacts facts;
  const auto tokenized = python::tokenize(definition.reference);
  const auto* tokens = std::get_if<std::vector<Token>>(&tokenized);
  if (tokens == nullptr) return facts;
  Reader reader(definition, facts);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    const TokenKind kind = (*tokens)[i].kind;
    if (kind == TokenKind::name || kind == TokenKind::number || kind == TokenKind::string ||
        kind == TokenKind::op)
      continue;
    reader.line(std::span(*tokens).subspan(begin, i - begin));
    begin = i + 1;
  }
  read_defaults(definition, facts);
  return facts;
}

ConstraintScope scope_of(const Problem& problem, const ReferenceFacts& facts) {
  ConstraintScope scope = scope_of(problem);
  scope.integer = [outer = scope.integer,
                   &facts](std::string_view name) -> std::optional<std::int64_t> {
    if (const auto value = outer(name)) return value;
    const std::string key(name);
    if (const auto axis = facts.axes.find(key); axis != facts.axes.end())
      return outer(axis->second);
    const auto constant = facts.constants.find(key);
    return constant == facts.constants.end() ? std::nullopt : std::optional(constant->second);
  };
  return scope;
}

}  // namespace kbench
