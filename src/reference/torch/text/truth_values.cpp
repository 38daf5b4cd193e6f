#include "reference/torch/text/truth_values.hpp"

#include <algorithm>
#include <string>

#include "base/words.hpp"
#include "reference/torch/text/operator_rules.hpp"
#include "reference/torch/text/reference_text.hpp"

namespace kbench {
namespace {

bool is_logical(std::string_view word) { return word == "and" || word == "or"; }

class Line {
 public:
  Line(const Draft& draft, const DraftLine& line) : draft_(draft), line_(line) {}

  void check() const {
    for (std::size_t i = line_.first; i < line_.last; ++i) {
      if (!is_operator(i) || is_condition(i) || is_truth(i)) continue;
      throw UnsupportedText{"\"" + std::string(draft_.word(i)) + "\" that gives an operand",
                            draft_.line_of(i)};
    }
  }

 private:
  bool is_operator(std::size_t i) const {
    return draft_.kind(i) == python::TokenKind::name && is_logical(draft_.word(i));
  }

  // Where the expression begins that the operator at `i` stands in: after a bracket, a comma, an
  // assignment, or a keyword that an expression follows.
  std::size_t begin_of(std::size_t i) const {
    constexpr std::string_view ends[] = {
        ",",    ":",     "=",    "+=",     "-=", "*=",     "/=",     "|=",  "&=",    "if",
        "elif", "while", "else", "return", "in", "assert", "lambda", "for", "raise", "print"};
    while (i > line_.first) {
      const std::size_t before = i - 1;
      if (is_closing(draft_.word(before))) {
        i = bracket_around(draft_, before);
        continue;
      }
      if (is_opening(draft_.word(before)) || is_one_of(draft_.word(before), ends)) break;
      i = before;
    }
    return i;
  }

  std::size_t end_of(std::size_t i) const {
    constexpr std::string_view ends[] = {",", ":", "if", "else", "for"};
    while (i < line_.last && !is_closing(draft_.word(i)) && !is_one_of(draft_.word(i), ends)) {
      i = draft_.past(i) + 1;
    }
    return std::min(i, line_.last);
  }

  // Only its truth counts.
  bool is_condition(std::size_t i) const {
    constexpr std::string_view conditions[] = {"if", "elif", "while", "assert"};
    constexpr std::string_view leads[] = {"if", "elif", "while", "assert", "and", "or", "not", "("};
    constexpr std::string_view follows[] = {"and", "or", ":", ")", "else", ",", ""};
    const std::size_t begin = begin_of(i);
    if (begin == line_.first) return false;
    const std::string_view lead = draft_.word(begin - 1);
    if (is_one_of(lead, conditions)) return true;
    if (lead != "(" || begin - 1 == line_.first) return false;
    const std::size_t open = begin - 1, close = draft_.closing(open);
    const std::string_view next = close + 1 < line_.last ? draft_.word(close + 1) : "";
    const std::string_view before = draft_.word(open - 1);
    if (!is_one_of(before, leads) || !is_one_of(next, follows)) return false;
    return before == "not" || is_condition(open);
  }

  // Every operand is a comparison, a negation or a literal truth.
  bool is_truth(std::size_t i) const {
    const std::size_t begin = begin_of(i), end = end_of(i);
    if (is_rewritten(begin, end)) return true;
    std::size_t first = begin;
    for (std::size_t at = begin; at <= end; at = at < end ? draft_.past(at) + 1 : at + 1) {
      if (at < end && !is_logical(draft_.word(at))) continue;
      if (!is_truth_operand(first, at)) return false;
      first = at + 1;
    }
    return true;
  }

  bool is_truth_operand(std::size_t first, std::size_t last) const {
    constexpr std::string_view comparisons[] = {"==", "!=", "<", ">", "<=", ">=", "in", "is"};
    constexpr std::string_view truths[] = {"not", "True", "False", "bool", "isinstance"};
    if (is_one_of(draft_.word(first), truths)) return true;
    for (std::size_t i = first; i < last; i = draft_.past(i) + 1) {
      if (is_one_of(draft_.word(i), comparisons)) return true;
    }
    return false;
  }

  // x = a or b; return a or b
  bool is_rewritten(std::size_t begin, std::size_t end) const {
    const bool is_whole = end == line_.last && begin > line_.first;
    const bool is_value = is_whole && (draft_.word(begin - 1) == "return" ||
                                       (draft_.word(begin - 1) == "=" && begin == line_.first + 2));
    return is_value && lone_or(draft_, begin, end) != end;
  }

  const Draft& draft_;
  const DraftLine& line_;
};

}  // namespace

void refuse_operand_values(const Draft& draft) {
  for (const DraftLine& line : draft.lines()) Line(draft, line).check();
}

}  // namespace kbench
