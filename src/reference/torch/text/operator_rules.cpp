#include "reference/torch/text/operator_rules.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "reference/torch/text/refusals.hpp"

namespace kbench {
namespace {

struct OperandSpan {
  std::size_t first = 0;
  std::size_t last = 0;  // just after it
};

OperandSpan operand_before(const Draft& draft, std::size_t op);

constexpr std::string_view comparison_words[] = {"<", ">", "<=", ">=", "==", "!=", "in", "is"};

constexpr std::string_view looser[] = {
    "and",    "or",  "not", "if", "else", "elif", "while", "return", "assert", "for",
    "lambda", "in",  "is",  ",",  ":",    "=",    ":=",    "+=",     "-=",     "*=",
    "/=",     "//=", "%=",  "@=", "&=",   "|=",   "^=",    ">>=",    "<<=",    "**=",
    ";",      "<",   ">",   "<=", ">=",   "==",   "!=",    "->",     "raise",  "print"};

std::size_t opening(const Draft& draft, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close;; --i) {
    if (is_closing(draft.word(i))) ++depth;
    if (is_opening(draft.word(i))) --depth;
    if (depth == 0 || i == 0) return i;
  }
}

// Where the operand that ends before `end` begins: a name, a literal or a bracket, with what it is
// an attribute, an element or the result of.
std::size_t primary_before(const Draft& draft, std::size_t end) {
  std::size_t first = end;
  while (first > 0) {
    --first;
    if (is_closing(draft.word(first))) {
      first = opening(draft, first);
      const bool has_owner = first > 0 && !draft.starts_line(first) &&
                             (draft.is_name(first - 1) || is_closing(draft.word(first - 1)));
      if (has_owner) continue;
    }
    if (first == 0 || draft.starts_line(first) || draft.word(first - 1) != ".") break;
    --first;
  }
  return first;
}

std::size_t primary_after(const Draft& draft, std::size_t first) {
  std::size_t i = first;
  while (draft.word(i) == "-" || draft.word(i) == "+" || draft.word(i) == "~") ++i;
  i = is_opening(draft.word(i)) ? draft.closing(i) + 1 : i + 1;
  while (i < draft.size() && !draft.starts_line(i)) {
    if (draft.word(i) == ".")
      i += 2;
    else if (draft.word(i) == "(" || draft.word(i) == "[")
      i = draft.closing(i) + 1;
    else if (draft.word(i) == "**")
      return primary_after(draft, i + 1);
    else
      break;
  }
  return i;
}

// `for x in y` has an `in` that compares nothing.
bool belongs_to_for(const Draft& draft, std::size_t in) {
  const OperandSpan left = operand_before(draft, in);
  std::size_t first = left.first;
  while (first >= 2 && draft.word(first - 1) == ",") first = operand_before(draft, first - 1).first;
  return first > 0 && draft.word(first - 1) == "for";
}

bool is_comparison(const Draft& draft, std::size_t i) {
  const std::string_view w = draft.word(i);
  if (draft.kind(i) == python::TokenKind::string || !is_one_of(w, comparison_words)) return false;
  return w != "in" || !belongs_to_for(draft, i);
}

OperandSpan operand_before(const Draft& draft, std::size_t op) {
  int depth = 0;
  std::size_t first = op;
  while (first > 0 && !draft.starts_line(first)) {
    const std::string_view w = draft.word(first - 1);
    if (depth == 0 && (is_opening(w) || is_one_of(w, looser))) break;
    if (is_closing(w)) ++depth;
    if (is_opening(w)) --depth;
    --first;
  }
  return {first, op};
}

OperandSpan operand_after(const Draft& draft, std::size_t op) {
  const std::size_t first = draft.word(op) == "is" && draft.word(op + 1) == "not" ? op + 2 : op + 1;
  std::size_t last = first;
  while (last < draft.size() && !draft.starts_line(last)) {
    const std::string_view w = draft.word(last);
    if (is_closing(w) || is_one_of(w, looser)) break;
    last = is_opening(w) ? draft.closing(last) + 1 : last + 1;
  }
  return {first, last};
}

// `torch.float16`, `x.dtype`, `torch.int8 if c else torch.int16`: tokens [first, last), if they are
// one value and no call.
bool is_dtype_value(const Draft& draft, std::size_t first, std::size_t last) {
  constexpr std::string_view plain[] = {"float", "half",  "int",    "long",
                                        "bool",  "short", "double", "dtype"};
  if (last < first + 3 || draft.word(last - 2) != ".") return false;
  for (std::size_t i = first; i < last; i = draft.past(i) + 1) {
    if (draft.word(i) == ",") return false;
  }
  const std::string_view type = draft.word(last - 1);
  return type.find_first_of("0123456789") != std::string_view::npos || is_one_of(type, plain);
}

// Does argument number `index` of the call that opens at `open` stand for a dtype?
bool is_dtype_argument(const Draft& draft, std::size_t open, std::size_t index) {
  const std::size_t close = draft.closing(open);
  std::size_t first = open + 1;
  for (std::size_t i = first; i <= close; i = i == close ? i + 1 : draft.past(i) + 1) {
    if (i != close && draft.word(i) != ",") continue;
    if (index-- == 0) return is_dtype_value(draft, first, i);
    first = i + 1;
  }
  return false;
}

// Does a call hand a dtype to the parameter `name` of the function that `line` defines?
bool is_handed_dtype(const Draft& draft, const DraftLine& line, std::string_view name) {
  const std::size_t close = draft.closing(line.first + 2);
  std::size_t index = 0;
  std::size_t parameter = line.first + 3;
  for (; parameter < close && draft.word(parameter) != name; ++parameter) {
    if (is_opening(draft.word(parameter))) parameter = draft.closing(parameter);
    if (draft.word(parameter) == ",") ++index;
  }
  if (parameter >= close) return false;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const bool is_call = draft.word(i) == draft.word(line.first + 1) && draft.word(i + 1) == "(";
    if (is_call && i != line.first + 1 && is_dtype_argument(draft, i + 1, index)) return true;
  }
  return false;
}

// Is `name = torch.float16` or `name: torch.dtype` what begins at `i`?
bool binds_dtype(const Draft& draft, std::size_t i) {
  if (draft.word(i + 1) != "=" && draft.word(i + 1) != ":") return false;
  std::size_t first = i + 2;
  for (std::size_t k = first;; k = draft.past(k) + 1) {
    const std::string_view w = draft.word(k);
    const bool ends = k >= draft.size() || draft.starts_line(k) || w == "," || is_closing(w);
    if ((ends || w == "=") && is_dtype_value(draft, first, k)) return true;
    if (ends) return false;
    if (w == "=") first = k + 1;
  }
}

// Does the text anywhere say `name = torch.float16` or `name: torch.dtype`? As a statement, a
// parameter or an argument; or does a call hand one to a parameter of that name?
bool is_dtype_name(const Draft& draft, std::string_view name) {
  for (const DraftLine& line : draft.lines()) {
    if (draft.word(line.first) == "def" && is_handed_dtype(draft, line, name)) return true;
  }
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.word(i) == name && binds_dtype(draft, i)) return true;
  }
  return false;
}

// Does a comparison stand right before it or behind it?
bool is_operand(const Draft& draft, const OperandSpan& span) {
  const bool is_not_in = draft.word(span.last) == "not" && draft.word(span.last + 1) == "in";
  return is_not_in || is_comparison(draft, span.first - 1) || is_comparison(draft, span.last);
}

}  // namespace

std::size_t bracket_around(const Draft& draft, std::size_t i) {
  int depth = 0;
  while (i > 0 && !draft.starts_line(i)) {
    --i;
    if (is_closing(draft.word(i))) ++depth;
    if (is_opening(draft.word(i)) && depth-- == 0) return i;
  }
  return 0;
}

std::size_t lone_or(const Draft& draft, std::size_t first, std::size_t last) {
  constexpr std::string_view others[] = {
      "if", "not", "<", ">", "<=", ">=", "==", "!=", "in", "is", ",", "and"};
  std::size_t op = last;
  for (std::size_t i = first; i < last; i = draft.past(i) + 1) {
    const std::string_view w = draft.word(i);
    if (draft.kind(i) == python::TokenKind::string) continue;
    if (is_one_of(w, others)) return last;
    if (w != "or") continue;
    if (op != last) return last;
    op = i;
  }
  return op;
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
    refuse_to_repeat(draft, m.first, m.last);
    std::string again = draft.render(m.first, m.last);
    std::replace(again.begin(), again.end(), '\n', ' ');
    draft.insert_after(m.last - 1, " and " + again);
  }
}

bool is_compared(const Draft& draft, std::size_t i) {
  OperandSpan span{i, i + 1};
  while (span.first > 0 && !draft.starts_line(span.first)) {
    if (is_operand(draft, span)) return true;
    const std::size_t open = bracket_around(draft, span.first);
    if (open == 0) return false;
    const std::string_view owner = draft.word(open - 1);
    if (owner == "startswith" || owner == "endswith") return true;
    const bool has_owner = draft.is_name(open - 1) || is_closing(owner);
    if (has_owner && owner != "device") return false;
    span = {has_owner ? primary_before(draft, open) : open, draft.closing(open) + 1};
  }
  return false;
}

void not_in(Draft& draft, std::size_t i) {
  if (draft.word(i) != "not" || draft.word(i + 1) != "in") return;
  const OperandSpan left = operand_before(draft, i);
  const OperandSpan right = operand_after(draft, i + 1);
  draft.insert_before(left.first, "(not (");
  draft.replace_all(i, i + 2, "in");
  draft.insert_after(right.last - 1, "))");
}

void power(Draft& draft, std::size_t i) {
  if (draft.word(i) != "**" || draft.kind(i) != python::TokenKind::op || draft.starts_line(i))
    return;
  const std::string_view before = draft.word(i - 1);
  if (is_opening(before) || before == ",") return;  // f(**kwargs)
  draft.insert_before(primary_before(draft, i), "__power(");
  draft.replace(i, ",");
  draft.insert_after(primary_after(draft, i + 1) - 1, ")");
}

void view_as_dtype(Draft& draft, std::size_t i) {
  if (draft.word(i) != "view" || draft.word(i + 1) != "(" || draft.word(i - 1) != ".") return;
  const std::size_t close = draft.closing(i + 1);
  const bool is_one_name = close == i + 3 && draft.is_name(i + 2);
  const bool is_dtype =
      is_one_name ? is_dtype_name(draft, draft.word(i + 2)) : is_dtype_value(draft, i + 2, close);
  if (!is_dtype) return;
  draft.insert_before(primary_before(draft, i - 1), "__view_as(");
  draft.replace(i - 1, ",");
  draft.replace(i, "");
  draft.replace(i + 1, "");
}

void value_of_or(Draft& draft, const DraftLine& line) {
  std::size_t first = line.first + 1;
  if (draft.word(line.first) != "return") {
    if (!draft.is_name(line.first) || draft.word(first) != "=") return;
    ++first;
  }
  const std::size_t op = lone_or(draft, first, line.last);
  if (op == line.last) return;
  refuse_to_repeat(draft, first, op);
  std::string left = draft.render(first, op);
  std::replace(left.begin(), left.end(), '\n', ' ');
  draft.insert_before(first, "(");
  draft.replace(op, "if " + left + " else");
  draft.insert_after(line.last - 1, ")");
}

}  // namespace kbench
