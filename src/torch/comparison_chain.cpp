#include "torch/comparison_chain.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kbench {
namespace {

constexpr std::string_view comparisons[] = {"<", ">", "<=", ">=", "==", "!=", "in", "is"};

constexpr std::string_view looser[] = {
    "and",    "or",  "not", "if", "else", "elif", "while", "return", "assert", "for",
    "lambda", "in",  "is",  ",",  ":",    "=",    ":=",    "+=",     "-=",     "*=",
    "/=",     "//=", "%=",  "@=", "&=",   "|=",   "^=",    ">>=",    "<<=",    "**=",
    ";",      "<",   ">",   "<=", ">=",   "==",   "!=",    "->",     "raise",  "print"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool opens(std::string_view w) { return w == "(" || w == "[" || w == "{"; }
bool closes(std::string_view w) { return w == ")" || w == "]" || w == "}"; }

// `for x in y` has an `in` that compares nothing.
bool belongs_to_for(const Draft& draft, std::size_t in) {
  const OperandSpan left = operand_before(draft, in);
  std::size_t first = left.first;
  while (first >= 2 && draft.word(first - 1) == ",") first = operand_before(draft, first - 1).first;
  return first > 0 && draft.word(first - 1) == "for";
}

bool is_comparison(const Draft& draft, std::size_t i) {
  const std::string_view w = draft.word(i);
  if (draft.kind(i) == python::TokenKind::string || !is_one_of(w, comparisons)) return false;
  return w != "in" || !belongs_to_for(draft, i);
}

}  // namespace

OperandSpan operand_before(const Draft& draft, std::size_t op) {
  int depth = 0;
  std::size_t first = op;
  while (first > 0 && !draft.starts_line(first)) {
    const std::string_view w = draft.word(first - 1);
    if (depth == 0 && (opens(w) || is_one_of(w, looser))) break;
    if (closes(w)) ++depth;
    if (opens(w)) --depth;
    --first;
  }
  return {first, op};
}

OperandSpan operand_after(const Draft& draft, std::size_t op) {
  const std::size_t first = draft.word(op) == "is" && draft.word(op + 1) == "not" ? op + 2 : op + 1;
  std::size_t last = first;
  while (last < draft.size() && !draft.starts_line(last)) {
    const std::string_view w = draft.word(last);
    if (closes(w) || is_one_of(w, looser)) break;
    last = opens(w) ? draft.closing(last) + 1 : last + 1;
  }
  return {first, last};
}

void comparison_chain(Draft& draft, std::size_t i) {
  if (!is_comparison(draft, i)) return;
  const OperandSpan left = operand_before(draft, i);
  if (left.first > 0 && is_comparison(draft, left.first - 1)) return;  // not the first of its chain
  std::vector<OperandSpan> middle;
  OperandSpan operand = operand_after(draft, i);
  while (operand.last < draft.size() && is_comparison(draft, operand.last)) {
    middle.push_back(operand);
    operand = operand_after(draft, operand.last);
  }
  if (middle.empty()) return;
  draft.insert_before(left.first, "(");
  draft.insert_after(operand.last - 1, ")");
  for (const OperandSpan& m : middle) {
    std::string again = draft.render(m.first, m.last);
    std::replace(again.begin(), again.end(), '\n', ' ');
    draft.insert_after(m.last - 1, " and " + again);
  }
}

}  // namespace kbench
