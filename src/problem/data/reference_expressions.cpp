#include <algorithm>
#include <map>

#include "base/words.hpp"
#include "problem/data/reference_reader.hpp"

namespace kbench {
namespace {

using python::Expression;
using Node = Expression::Kind;
using Form = Expression::Form;

// Returns the place in a list of so many that a number's text says; from the end below 0.
std::optional<std::size_t> place_in(const Size& number, std::size_t count) {
  const bool back = number.starts_with("0 - ");
  const std::string digits = back ? number.substr(4) : number;
  const bool whole = !digits.empty() && digits.size() < 4 &&
                     digits.find_first_not_of("0123456789") == std::string::npos;
  if (!whole) return std::nullopt;
  const std::size_t at = std::stoul(digits);
  if (back) return at == 0 || at > count ? std::nullopt : std::optional(count - at);
  return at < count ? std::optional(at) : std::nullopt;
}

// Returns the elements' meaning alone.
Value element_meaning(const Value& value) {
  Value out = value;
  out.shape.reset();
  out.input.clear();
  out.items.clear();
  return out;
}

// Tuples of tuples double with each line: what has more values is not followed.
constexpr std::size_t most_values = 1000;
std::size_t values_in(const Value& value) {
  std::size_t count = 1;
  for (const Value& item : value.items) count += values_in(item);
  return count;
}

}  // namespace

std::optional<std::size_t> place_of(const Value& value, const Value& dimension) {
  return value.shape ? place_in(dimension.number, value.shape->size()) : std::nullopt;
}

Size dimension_of(const Value& value, const Value& dimension) {
  const auto place = place_of(value, dimension);
  return place ? (*value.shape)[*place] : "";
}

Value ReferenceReader::evaluate(const Expression& e) {
  using Read = Value (ReferenceReader::*)(const Expression&);
  static const std::map<Node, Read> readers = {
      {Node::name, &ReferenceReader::known_name},
      {Node::unary, &ReferenceReader::unary},
      {Node::binary, &ReferenceReader::binary},
      {Node::comparison, &ReferenceReader::comparison},
      {Node::conditional, &ReferenceReader::conditional},
      {Node::attribute, &ReferenceReader::attribute},
      {Node::subscript, &ReferenceReader::loaded},
      {Node::call, &ReferenceReader::call},
  };
  if (e.kind == Node::integer) return number_value(e.text.empty() ? std::to_string(e.value) : "");
  if (e.form == Form::sequence) return sequence(e);
  if (e.form == Form::comprehension) return comprehension(e);
  const auto found = readers.find(e.kind);
  if (found != readers.end()) return (this->*found->second)(e);
  for (const auto& operand : e.operands) evaluate(*operand);
  return {};
}

Value ReferenceReader::known_name(const Expression& e) {
  const auto found = names_.find(e.text);
  return found == names_.end() ? Value{} : found->second;
}

Value ReferenceReader::binary(const Expression& e) {
  const Value left = evaluate(*e.operands[0]);
  const Value right = evaluate(*e.operands[1]);
  if (e.text == ">>" && right.number == "16") uses_.packed(left);
  return arithmetic(e.text, left, right);
}

Value ReferenceReader::conditional(const Expression& e) {
  evaluate(*e.operands[1]);
  const Value first = evaluate(*e.operands[0]);
  const Value second = evaluate(*e.operands[2]);
  return first.terms.empty() && !first.shape ? second : first;
}

Value ReferenceReader::unary(const Expression& e) {
  Value value = evaluate(*e.operands[0]);
  if (e.text == "~" && value.is_mask) return value;
  if (e.text == "-" && !value.number.empty()) return number_value(combined("0", "-", value.number));
  Value out = shaped(value.shape);
  if (e.text == "-") {
    out.summands = negated(value.summands);
    out.gates = negated(value.gates);
  }
  return out;
}

Value ReferenceReader::comparison(const Expression& e) {
  std::vector<Value> values;
  for (const auto& operand : e.operands) values.push_back(evaluate(*operand));
  Value out;
  for (std::size_t i = 0; i < e.comparators.size(); ++i) {
    uses_.comparison(values[i], e.comparators[i], values[i + 1], false);
    out.shape = arithmetic("+", values[i], values[i + 1]).shape;
  }
  out.is_mask = true;
  return out;
}

Value ReferenceReader::sequence(const Expression& e) {
  Value out;
  for (const auto& operand : e.operands) out.items.push_back(evaluate(*operand));
  return values_in(out) > most_values ? Value{} : out;
}

// [x[a:b] for a, b in zip(p, p[1:])]
Value ReferenceReader::comprehension(const Expression& e) {
  const Environment outside = names_;
  for (std::size_t i = 1; i < e.operands.size(); ++i) {
    const bool target = e.roles[i] == "for" && i + 1 < e.operands.size();
    if (target) {
      assign(*e.operands[i], element_of(evaluate(*e.operands[i + 1])), false);
      ++i;
    } else {
      evaluate(*e.operands[i]);
    }
  }
  Value out = evaluate(*e.operands[0]);
  names_ = outside;
  out.shape.reset();
  out.number.clear();
  out.input.clear();
  out.items.clear();
  return out;
}

Value ReferenceReader::element_of(const Value& value) const {
  if (value.is_rows) {
    Value row;
    row.items = value.items;
    return row;
  }
  if (!value.items.empty()) {
    const bool same = std::all_of(value.items.begin(), value.items.end(), [&](const Value& item) {
      return item.terms == value.items[0].terms;
    });
    return same ? element_meaning(value.items[0]) : Value{};
  }
  Value out = element_meaning(value);
  out.number.clear();
  if (value.shape && !value.shape->empty())
    out.shape = std::vector<Size>(value.shape->begin() + 1, value.shape->end());
  return out;
}

Value ReferenceReader::attribute(const Expression& e) {
  const Value self = evaluate(*e.operands[0]);
  if (e.text == "data") return self;
  if (e.text == "shape" && self.shape) {
    Value out;
    for (const Size& size : *self.shape) out.items.push_back(number_value(size));
    return out;
  }
  if (is_one_of(e.text, {"T", "mT"}) && self.shape && self.shape->size() == 2) {
    Value out = element_meaning(self);
    out.shape = std::vector<Size>(self.shape->rbegin(), self.shape->rend());
    return out;
  }
  return {};
}

// Returns the length that a slice leaves.
Size ReferenceReader::sliced(const Expression& e, const Size& size) {
  Value lower;
  Value upper;
  bool stepped = false;
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    const Value part = evaluate(*e.operands[i]);
    if (e.roles[i] == "lower") lower = part;
    if (e.roles[i] == "upper") upper = part;
    stepped |= e.roles[i] == "step";
  }
  uses_.slice(lower, upper, size);
  const auto given = [&](const char* role) {
    return std::find(e.roles.begin(), e.roles.end(), role) != e.roles.end();
  };
  if (stepped) return "";
  Size end = given("upper") ? upper.number : size;
  if (end.starts_with("0 - ")) end = combined(size, "-", end.substr(4));
  if (!given("lower")) return end;
  return lower.number.starts_with("0 - ") ? "" : combined(end, "-", lower.number);
}

Value ReferenceReader::loaded(const Expression& e) { return subscript(e, Access::load); }

Value ReferenceReader::subscript(const Expression& e, Access access) {
  const Value base = evaluate(*e.operands[0]);
  const Expression& index = *e.operands[1];
  if (!base.items.empty()) {
    const auto place = place_in(evaluate(index).number, base.items.size());
    return place ? base.items[*place] : element_of(base);
  }
  std::vector<const Expression*> parts{&index};
  if (index.form == Form::sequence) {
    parts.clear();
    for (const auto& operand : index.operands) parts.push_back(operand.get());
  }
  return indexed(base, parts, access);
}

Value ReferenceReader::indexed(const Value& base, const std::vector<const Expression*>& parts,
                               Access access) {
  Indexing state;
  state.sizes = base.shape.value_or(std::vector<Size>());
  state.known = base.shape.has_value();
  // x[i] and x[i, :, :]: nothing else says where.
  state.alone = std::all_of(parts.begin() + 1, parts.end(),
                            [](const Expression* part) { return part->form == Form::slice; });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Expression& part = *parts[i];
    if (part.kind == Node::constant && part.text == "...") {
      const std::size_t rest = parts.size() - i - 1;
      while (state.at + rest < state.sizes.size()) state.shape.push_back(state.sizes[state.at++]);
    } else if (part.kind == Node::constant && part.text == "None") {
      state.shape.emplace_back("1");
    } else if (part.form == Form::slice) {
      state.shape.push_back(sliced(part, state.size()));
      ++state.at;
    } else {
      take_index(evaluate(part), access, state);
    }
  }
  Value out = element_meaning(base);
  state.shape.insert(
      state.shape.end(),
      state.sizes.begin() + static_cast<std::ptrdiff_t>(std::min(state.at, state.sizes.size())),
      state.sizes.end());
  if (state.known) out.shape = state.shape;
  return out;
}

void ReferenceReader::note_store(const Value& index, Access access, bool is_alone) {
  const bool is_one = !index.shape || index.shape->empty();
  const bool stores = access == Access::store;
  if (is_alone && (stores || (access == Access::update && !is_one))) uses_.store(index);
  if (stores && !is_alone) uses_.scatter(index);
}

// One index: a number, a tensor of them, truth values.
void ReferenceReader::take_index(const Value& index, Access access, Indexing& state) {
  const bool is_one = !index.shape || index.shape->empty();
  if (index.is_mask) {
    state.at += index.shape ? std::max<std::size_t>(index.shape->size(), 1) : 1;
    state.shape.emplace_back();
    state.known &= index.shape.has_value();
    return;
  }
  uses_.index(index, state.size());
  note_store(index, access, state.alone);
  ++state.at;
  state.known &= index.shape || !index.number.empty() || !index.below.empty();
  if (is_one || state.gathers) return;
  state.shape.insert(state.shape.end(), index.shape->begin(), index.shape->end());
  state.gathers = true;
}

}  // namespace kbench
