#include "problem/formula.hpp"

#include <algorithm>
#include <limits>

#include "base/words.hpp"
#include "problem/constraint.hpp"

namespace kbench {
namespace {

using python::Expression;
using Kind = Expression::Kind;
using enum Formula::Code;
using Nodes = std::vector<std::uint32_t>;

std::size_t place_of(const std::string& text, std::vector<std::string>& texts) {
  const auto found = std::find(texts.begin(), texts.end(), text);
  if (found != texts.end()) return static_cast<std::size_t>(found - texts.begin());
  texts.push_back(text);
  return texts.size() - 1;
}

// Tells whether tensor.shape is subscripted.
bool is_shape(const Expression& subscripted) {
  return subscripted.kind == Kind::attribute && subscripted.text == "shape" &&
         subscripted.operands[0]->kind == Kind::name;
}

class FormulaCompiler {
 public:
  Formula compile(const Expression& e) {
    add(e);
    return std::move(made_);
  }

 private:
  std::uint32_t add(const Expression& e) {
    switch (e.kind) {
      case Kind::unary:
        return unary(e);
      case Kind::binary:
        return binary(e);
      case Kind::comparison:
        return chain(e);
      case Kind::boolean:
      case Kind::conditional:
        return choice(e);
      case Kind::subscript:
        return subscript(e);
      case Kind::call:
        return call(e);
      case Kind::string:
      case Kind::other:
        all(e, 0);  // notes their names
        return nothing(NoInteger::no_integer);
      default:
        return atom(e);
    }
  }

  Nodes all(const Expression& e, std::size_t from) {
    Nodes nodes;
    for (std::size_t i = from; i < e.operands.size(); ++i) nodes.push_back(add(*e.operands[i]));
    return nodes;
  }

  // tensor.dtype is a name with a dot.
  std::uint32_t atom(const Expression& e) {
    if (e.kind == Kind::name) return node(name, 0, {}, named(e.text));
    if (e.kind == Kind::number) return real(e.text);
    if (e.text == "None" && e.kind == Kind::constant)  // equal to no number
      return with_rest({-std::numeric_limits<std::int64_t>::max(), 1});
    if (e.kind == Kind::constant) return node(number, 0, {}, e.text == "True" ? 1 : 0);
    if (e.kind == Kind::integer)
      return e.text.size() >= 19 ? nothing(NoInteger::too_large) : node(number, 0, {}, e.value);
    if (const std::string dtype = dtype_name(e); !dtype.empty())
      return node(name, 0, {}, named(dtype));
    all(e, 0);
    return nothing(NoInteger::attribute, place_of(e.text, made_.words));
  }

  std::uint32_t real(const std::string& text) {
    const auto value = real_value(std::string_view(text));
    return value ? with_rest(*value) : nothing(NoInteger::no_integer);
  }

  std::uint32_t with_rest(const Number& value) {
    return node(fraction, 0, {node(number, 0, {}, value.part)}, value.value);
  }

  std::uint32_t unary(const Expression& e) {
    if (e.text == "-" && e.operands[0]->kind == Kind::number)
      return real("-" + e.operands[0]->text);
    if (e.text == "+") return add(*e.operands[0]);
    if (e.text != "-") return node(e.text == "not" ? logical_not : invert, 0, all(e, 0));
    const std::uint32_t zero = node(number, 0, {});
    return node(arithmetic, static_cast<std::uint8_t>(IntegerOperator::subtract),
                {zero, add(*e.operands[0])});
  }

  std::uint32_t binary(const Expression& e) {
    const Nodes operands = all(e, 0);
    const auto op = integer_operator(e.text);
    return op ? node(arithmetic, static_cast<std::uint8_t>(*op), operands)
              : nothing(NoInteger::no_integer);
  }

  std::uint32_t chain(const Expression& e) {
    Nodes parts = all(e, 0);
    for (std::size_t i = e.comparators.size(); i-- > 0;) {
      const auto op = integer_comparison(e.comparators[i]);
      if (!op) return nothing(NoInteger::no_integer);
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   static_cast<std::uint32_t>(*op));
    }
    return node(comparison, 0, parts);
  }

  std::uint32_t choice(const Expression& e) {
    if (e.kind == Kind::conditional) return node(conditional, 0, all(e, 0));
    return node(e.text == "or" ? logical_or : logical_and, 0, all(e, 0));
  }

  // tensor.shape[i] and tensor[i]
  std::uint32_t subscript(const Expression& e) {
    const Expression& base = *e.operands[0];
    const Expression& tensor = is_shape(base) ? *base.operands[0] : base;
    if (tensor.kind != Kind::name) {
      all(e, 0);
      return nothing(NoInteger::tensor_values);
    }
    const auto which = named(tensor.text);
    return node(is_shape(base) ? size : element, 0, {add(*e.operands[1])}, which);
  }

  std::uint32_t call(const Expression& e) {
    const Expression& callee = *e.operands[0];
    if (callee.kind == Kind::attribute && callee.text == "item" && e.operands.size() == 1)
      return add(*callee.operands[0]);
    return function(callee.kind == Kind::name ? callee.text : "", e);
  }

  // min and max of several, int(x), len(tensor)
  std::uint32_t function(const std::string& function, const Expression& e) {
    const std::size_t arguments = e.operands.size() - 1;
    if (is_one_of(function, {"min", "max"}) && arguments > 1)
      return node(function == "min" ? minimum : maximum, 0, all(e, 1));
    if (function == "int" && arguments == 1) return add(*e.operands[1]);
    if (function == "len" && arguments == 1 && e.operands[1]->kind == Kind::name)
      return node(length, 0, {}, named(e.operands[1]->text));
    all(e, 1);
    return nothing(NoInteger::function);
  }

  std::int64_t named(const std::string& text) {
    return static_cast<std::int64_t>(place_of(text, made_.names));
  }

  std::uint32_t nothing(NoInteger why, std::size_t word = 0) {
    return node(no_value, static_cast<std::uint8_t>(why), {}, static_cast<std::int64_t>(word));
  }

  std::uint32_t node(Formula::Code code, std::uint8_t detail, const Nodes& operands,
                     std::int64_t value = 0) {
    const auto first = static_cast<std::uint32_t>(made_.children.size());
    made_.children.insert(made_.children.end(), operands.begin(), operands.end());
    made_.nodes.push_back(
        {code, detail, first, static_cast<std::uint32_t>(operands.size()), value});
    return made_.whole();
  }

  Formula made_;
};

}  // namespace

Formula compile_formula(const Expression& expression) {
  return FormulaCompiler().compile(expression);
}

}  // namespace kbench
