#include "problem/data/reference_uses.hpp"

#include <algorithm>

#include "base/words.hpp"

namespace kbench {
namespace {

void add(std::vector<Size>& sizes, const Size& size) {
  if (!size.empty() && std::find(sizes.begin(), sizes.end(), size) == sizes.end())
    sizes.push_back(size);
}

void add(std::vector<IndexRange>& ranges, const IndexRange& range) {
  const auto same = [&](const IndexRange& r) { return r.low == range.low && r.high == range.high; };
  if (!range.low.empty() && !range.high.empty() && std::none_of(ranges.begin(), ranges.end(), same))
    ranges.push_back(range);
}

bool is_running_sum(const Value& value) {
  return value.terms.size() == 2 && value.terms[0] == value.terms[1];
}

// The largest element so that (x * factor + shift + spread) // divisor is at most `most`; several
// inputs share.
Size largest(const Value& value, const Size& most) {
  Size room = combined(most, "*", value.divisor);
  room = combined(room, "+", combined(value.divisor, "-", "1"));
  if (value.divisor == "1") room = most;
  room = combined(combined(room, "-", value.shift), "-", value.spread);
  room = combined(room, "//", value.factor);
  return value.terms.size() < 2 ? room : combined(room, "//", std::to_string(value.terms.size()));
}

bool is_scalar(const Value& value) { return !value.input.empty() && value.number == value.input; }

// A scalar input is its only element.
Value with_terms(const Value& value) {
  Value out = value;
  if (out.terms.empty() && is_scalar(value)) out.terms = {out.input};
  return out;
}

}  // namespace

void ReferenceUses::index(const Value& given, const Size& size) {
  const Value value = with_terms(given);
  if (value.terms.empty() || value.is_mask || is_running_sum(value)) return;
  if (value.is_below) {  // its last index is one less
    Value last = value;
    last.shift = combined(value.shift, "-", "1");
    return length(last, combined(size, "-", "1"));
  }
  const IndexRange range{combined("0", "-", combined(value.shift, "//", value.factor)),
                         largest(value, combined(size, "-", "1"))};
  for (const std::string& term : value.terms)
    add(value.wraps ? use(term).wrapped : use(term).indexed, range);
}

void ReferenceUses::length(const Value& given, const Size& size) {
  const Value value = with_terms(given);
  if (is_running_sum(value) || value.wraps) return;
  for (const std::string& term : value.terms) add(use(term).lengths, largest(value, size));
}

void ReferenceUses::slice(const Value& lower, const Value& given_upper, const Size& size) {
  const Value upper = with_terms(given_upper);
  if (upper.terms.empty()) {
    if (lower.terms.size() == 1) length(lower, combined(size, "-", "1"));
    return;
  }
  if (is_running_sum(upper)) return sum(upper, size);
  if (lower.terms.size() == 1 && upper.terms.size() == 1) return span(lower, upper, size);
  length(upper, size);
}

void ReferenceUses::span(const Value& lower, const Value& upper, const Size& size) {
  const std::string& first = lower.terms[0];
  const std::string& last = upper.terms[0];
  if (first != last) {
    add(use(first).starts, size);
    add(use(last).stops, largest(upper, size));
  } else if (lower.shift != upper.shift) {
    length(upper, size);
  } else {
    InputUse& use = this->use(first);
    use.spans = true;
    use.ends |= lower.from_zero;
    if (upper.is_plain()) add(use.totals, size);
  }
}

void ReferenceUses::sum(const Value& value, const Size& size) {
  if (!value.difference.empty()) {
    use(value.difference).spans = true;
    add(use(value.difference).totals, size);
  } else if (!value.terms.empty() && value.is_plain()) {
    use(value.terms[0]).counts = true;
    add(use(value.terms[0]).totals, size);
  }
}

void ReferenceUses::store(const Value& value) {
  if (value.terms.size() == 1 && !value.wraps && !value.is_below && !value.is_mask)
    use(value.terms[0]).unique = true;
}

void ReferenceUses::scatter(const Value& value) {
  for (const std::string& term : value.terms)
    if (!value.is_mask) use(term).scattered = true;
}

void ReferenceUses::packed(const Value& value) {
  for (const std::string& term : value.terms) use(term).packed = true;
}

void ReferenceUses::equal(const Value& number, const Size& size) {
  if (!number.input.empty() && number.number == number.input && size != number.number)
    add(use(number.input).equal, size);
}

// Notes a checked bound of elements.
void ReferenceUses::bound(const Value& value, const std::string& op, const Size& size) {
  if (value.is_below || value.wraps || is_running_sum(value)) return;
  for (const std::string& term : value.terms) {
    if (op == "<") add(use(term).at_most, largest(value, combined(size, "-", "1")));
    if (op == "<=") add(use(term).at_most, largest(value, size));
    if (value.is_plain() && value.terms.size() == 1 && (op == ">" || op == ">="))
      add(use(term).at_least, op == ">" ? combined(size, "+", "1") : size);
  }
}

void ReferenceUses::comparison(const Value& left, const std::string& op, const Value& right,
                               bool holds) {
  one_way(left, op, right, holds);
  one_way(right, mirrored(op), left, holds);
  if (!holds) return;
  checked(left, op, right);
  checked(right, mirrored(op), left);
}

// Notes what any comparison says of `a`.
void ReferenceUses::one_way(const Value& a, const std::string& op, const Value& b, bool holds) {
  const bool sign = b.number == "0" && is_one_of(op, {"<", ">="}) && !holds;
  if (sign || b.number == "0 - 1")
    for (const std::string& term : a.terms) use(term).padded = true;
  if (is_scalar(a)) {
    if (!b.difference.empty()) use(a.input).longest = b.difference;
  } else if (!b.below.empty() && b.terms.empty()) {
    against_all(a, op, b);
  }
}

// Notes a comparison with all numbers below one.
void ReferenceUses::against_all(const Value& a, const std::string& op, const Value& b) {
  if (op == ">") length(a, b.below);  // arange(S) < lens
  if (op == ">=") length(a, combined(b.below, "-", "1"));
  if (is_one_of(op, {"==", "!="})) {
    Value any = a;
    any.wraps = true;
    index(any, b.below);
  }
}

// Notes what a comparison that must hold says of `a`.
void ReferenceUses::checked(const Value& a, const std::string& op, const Value& b) {
  if (!b.number.empty()) bound(a, op, b.number);
  if (op == "==") equal(a, b.number);
  if (is_scalar(a) && b.terms.size() == 1 && op == ">=") use(a.input).longest = b.terms[0];
}

}  // namespace kbench
