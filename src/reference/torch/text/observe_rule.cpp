#include <algorithm>
#include <string>

#include "reference/torch/text/observe.hpp"

namespace kbench {
namespace {

constexpr std::string_view assignments[] = {
    "=", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="};

bool is_assignment(const Draft& draft, std::size_t i) {
  return std::find(std::begin(assignments), std::end(assignments), draft.word(i)) !=
         std::end(assignments);
}

// The first assignment of tokens [first, last) outside brackets; `last` where there is none.
std::size_t find_assignment(const Draft& draft, std::size_t first, std::size_t last) {
  std::size_t i = first;
  while (i < last && !is_assignment(draft, i)) i = draft.past(i) + 1;
  return std::min(i, last);
}

// Twice bracketed, for a, b is one value.
void observe(Draft& draft, std::size_t first, std::size_t last) {
  draft.insert_before(first, std::string(observe_name).append("(("));
  draft.insert_after(last - 1, "))");
}

// A call whose value is not wanted. print() is never dropped, and has no value.
bool is_call(const Draft& draft, const DraftLine& line) {
  return draft.is_name(line.first) && draft.word(line.first) != "print" &&
         draft.word(line.last - 1) == ")" && draft.word(line.first + 1) != ":" &&
         find_assignment(draft, line.first, line.last) == line.last;
}

// The assignment of NAME = value, NAME: type = value, NAME += value or NAME, NAME = value;
// line.last for any other statement.
std::size_t assignment_to_names(const Draft& draft, const DraftLine& line) {
  const std::size_t equals = find_assignment(draft, line.first, line.last);
  const bool is_annotated = draft.word(line.first + 1) == ":";
  for (std::size_t i = line.first; i < (is_annotated ? line.first + 1 : equals); ++i) {
    if (!draft.is_name(i) && draft.word(i) != ",") return line.last;
  }
  const bool is_chain = find_assignment(draft, equals + 1, line.last) != line.last;
  return is_chain || draft.word(equals + 1) == "lambda" ? line.last : equals;
}

// Anything but a dotted name, a literal or []: those cannot fail, a name may stand for a function,
// which is no value to LibTorch, and an empty list takes its type from where it stands.
bool computes(const Draft& draft, std::size_t first, std::size_t last) {
  if (last == first + 2 && is_closing(draft.word(first + 1))) return false;
  for (std::size_t i = first; i < last; ++i) {
    if (draft.kind(i) == python::TokenKind::op && draft.word(i) != ".") return true;
  }
  return false;
}

// `while c:` on a line of its own. What `is` shows of a type is lost in a call.
void observe_condition(Draft& draft, const DraftLine& line) {
  std::size_t colon = line.first + 1;
  for (; colon < line.last && draft.word(colon) != ":"; colon = draft.past(colon) + 1) {
    if (draft.word(colon) == "is") return;
  }
  if (colon < line.last) observe(draft, line.first + 1, colon);
}

bool is_attribute(const Draft& draft, std::size_t i) { return i > 0 && draft.word(i - 1) == "."; }

// Does a function hold `name` elsewhere than as what a statement assigns to?
bool is_read(const Draft& draft, const Scope& scope, std::string_view name) {
  for (const DraftLine& line : draft.lines()) {
    if (line.first < scope.body || line.last > scope.last) continue;
    const std::size_t equals = assignment_to_names(draft, line);
    const std::size_t first = equals == line.last ? line.first : equals;
    for (std::size_t i = first; i < line.last; ++i) {
      if (draft.word(i) == name && !is_attribute(draft, i)) return true;
    }
  }
  return false;
}

bool any_unread(const Draft& draft, const Scope& scope, std::size_t first, std::size_t equals) {
  for (std::size_t i = first; i < equals; ++i) {
    if (draft.is_name(i) && !is_read(draft, scope, draft.word(i))) return true;
  }
  return false;
}

}  // namespace

void observe_statements(Draft& draft, const std::vector<Scope>& scopes) {
  for (const DraftLine& line : draft.lines()) {
    const int index = scope_at(scopes, line.first);
    if (index < 0 || scopes[static_cast<std::size_t>(index)].is_lambda) continue;
    const Scope& scope = scopes[static_cast<std::size_t>(index)];
    if (line.first < scope.body) continue;
    if (draft.word(line.first) == "while") observe_condition(draft, line);
    if (is_call(draft, line)) observe(draft, line.first, line.last);
    const std::size_t equals = assignment_to_names(draft, line);
    if (computes(draft, equals + 1, line.last) && any_unread(draft, scope, line.first, equals))
      observe(draft, equals + 1, line.last);
  }
}

}  // namespace kbench
