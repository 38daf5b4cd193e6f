#include "problem/data/reference_value.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.hpp"
#include "problem/constraint_value.hpp"

namespace kbench {
namespace {

constexpr std::size_t longest_size = 400;  // bytes; what is longer is not followed
constexpr std::size_t most_summands = 8;

bool is_atom(const Size& size) { return size.find_first_of(" +-*/%") == std::string::npos; }

std::string in_brackets(const Size& size) {
  return is_atom(size) ? size : fmt::format("({})", size);
}

// Returns the operand that changes nothing on the right of `op`.
std::string_view neutral(std::string_view op) {
  if (op == "+" || op == "-") return "0";
  return op == "*" || op == "//" ? "1" : "none";
}

// The terms of both, no input more than twice.
std::vector<std::string> both_terms(const Value& left, const Value& right) {
  std::vector<std::string> out = left.terms;
  for (const std::string& term : right.terms)
    if (std::count(out.begin(), out.end(), term) < 2) out.push_back(term);
  return out;
}

std::optional<std::vector<Size>> broadcast(const Value& left, const Value& right) {
  if (!left.shape || !right.shape) {
    const Value& other = left.shape ? right : left;
    return other.number.empty() && other.below.empty() ? std::nullopt
           : left.shape                                ? left.shape
                                                       : right.shape;
  }
  const bool longer = left.shape->size() >= right.shape->size();
  std::vector<Size> out = longer ? *left.shape : *right.shape;
  const std::vector<Size>& rest = longer ? *right.shape : *left.shape;
  const std::size_t lead = out.size() - rest.size();
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (out[lead + i] == "1" || out[lead + i].empty()) out[lead + i] = rest[i];
  return out;
}

std::optional<std::vector<Size>> product_shape(const Value& left, const Value& right) {
  if (!left.shape || !right.shape || left.shape->size() < 2 || right.shape->size() != 2)
    return std::nullopt;
  std::vector<Size> out = *left.shape;
  out.back() = right.shape->back();
  return out;
}

// Combines elements of inputs with a number.
Value moved(const std::string& op, Value value, const Size& by) {
  const bool open = value.divisor == "1";
  value.from_zero = false;
  if (op == "%") {
    value.wraps = true;
    value.below = by;
  } else if (op == "//") {
    value.divisor = combined(value.divisor, "*", by);
  } else if (open && is_one_of(op, {"+", "-"})) {
    value.shift = combined(value.shift, op, by);
  } else if (open && op == "*") {
    for (Size* part : {&value.factor, &value.shift, &value.spread})
      *part = combined(*part, "*", by);
  } else {
    return {};
  }
  for (const Size* part : {&value.factor, &value.shift, &value.spread, &value.divisor})
    if (part->empty()) value.terms.clear();
  return value;
}

// n of x % n is all that a sum has of x.
Value remainder_only(const Value& value) {
  if (!value.wraps) return value;
  Value out = shaped(value.shape);
  out.below = value.below;
  return out;
}

Value of_terms(const std::string& op, const Value& left, const Value& right) {
  const bool same = left.terms == right.terms && left.terms.size() == 1;
  if (op == "-" && same) {
    Value out;
    if (left.is_plain() && right.is_plain()) out.difference = left.terms[0];
    return out;
  }
  if (op != "+" || left.factor != right.factor || left.divisor != "1" || right.divisor != "1")
    return {};
  Value out = left;
  out.terms = both_terms(left, right);
  out.shift = combined(left.shift, "+", right.shift);
  out.spread = combined(left.spread, "+", right.spread);
  out.from_zero = false;
  out.is_below = left.is_below || right.is_below;
  return out;
}

// page * page_size + arange(page_size)
Value spread(const Value& terms, const Value& over) {
  if (terms.divisor != "1") return {};
  Value out = terms;
  out.spread = combined(terms.spread, "+", combined(over.below, "-", "1"));
  return out;
}

Value with_number(const std::string& op, const Value& terms, const Value& other) {
  if (!other.number.empty()) return moved(op, terms, other.number);
  return op == "+" && !other.below.empty() ? spread(terms, other) : Value{};
}

Value in_terms(const std::string& op, const Value& of_left, const Value& of_right) {
  const bool both = !of_left.terms.empty() && !of_right.terms.empty();
  const Value left = both ? remainder_only(of_left) : of_left;
  const Value right = both ? remainder_only(of_right) : of_right;
  if (left.terms.empty()) return is_one_of(op, {"+", "*"}) ? with_number(op, right, left) : Value{};
  if (!right.terms.empty()) return of_terms(op, left, right);
  return is_one_of(op, {">>", "&"}) ? left : with_number(op, left, right);
}

}  // namespace

Size combined(const Size& left, std::string_view op, const Size& right) {
  const bool known = !left.empty() && !right.empty();
  if (!known || left.size() + right.size() > longest_size) return "";
  if (right == neutral(op)) return left;
  if (left == neutral(op) && is_one_of(op, {"+", "*"})) return right;
  return fmt::format("{} {} {}", in_brackets(left), op, in_brackets(right));
}

Size product(const std::vector<Size>& sizes) {
  Size out = "1";
  for (const Size& size : sizes) out = combined(out, "*", size);
  return out;
}

std::optional<std::int64_t> size_value(const Size& size, const ConstraintScope& scope) {
  return size.empty() ? std::nullopt : integer_of(constraint_value(size, scope));
}

Value number_value(Size number) {
  Value out;
  out.number = std::move(number);
  return out;
}

Value elements_alone(const Value& value) {
  Value out = value;
  out.shape.reset();
  out.number.clear();
  out.input.clear();
  out.origin.clear();
  out.items.clear();
  return out;
}

Value shaped(std::optional<std::vector<Size>> shape) {
  Value out;
  out.shape = std::move(shape);
  return out;
}

std::vector<Summand> negated(std::vector<Summand> summands) {
  for (Summand& one : summands) one.sign = -one.sign;
  return summands;
}

namespace {

// Returns the summands: all of a sum; for a product or quotient, those of its one side that has
// any.
std::vector<Summand> combined(const std::string& op, const std::vector<Summand>& left,
                              const std::vector<Summand>& right) {
  if (op == "+" || op == "-") {
    std::vector<Summand> out = left;
    const std::vector<Summand> more = op == "-" ? negated(right) : right;
    out.insert(out.end(), more.begin(), more.end());
    if (out.size() > most_summands) out.clear();
    return out;
  }
  if (op != "*" && op != "/") return {};
  return left.empty() ? right : right.empty() ? left : std::vector<Summand>{};
}

}  // namespace

Value arithmetic(const std::string& op, const Value& left, const Value& right) {
  if (op == "@") return shaped(product_shape(left, right));
  const bool whole = is_one_of(op, {"+", "-", "*", "//", "%", "**"});
  Value out;
  if (!left.number.empty() && !right.number.empty()) {
    if (whole) out.number = combined(left.number, op, right.number);
  } else {
    out = in_terms(op, left, right);
  }
  out.input.clear();
  out.items.clear();
  out.origin = is_one_of(op, {"+", "/"}) && right.origin.empty() ? left.origin : "";
  out.summands = combined(op, left.summands, right.summands);
  out.gates = combined(op, left.gates, right.gates);
  out.is_mask = left.is_mask && right.is_mask;
  out.shape = broadcast(left, right);
  return out;
}

}  // namespace kbench
