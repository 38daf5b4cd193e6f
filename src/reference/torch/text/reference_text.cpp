#include "reference/torch/text/reference_text.hpp"

#include <algorithm>

#include "reference/torch/text/draft.hpp"
#include "reference/torch/text/observe.hpp"
#include "reference/torch/text/other_meanings.hpp"
#include "reference/torch/text/refusals.hpp"
#include "reference/torch/text/scopes.hpp"
#include "reference/torch/text/token_rules.hpp"

namespace kbench {
namespace {

// `import a.b`, `import a.b as c`: tokens [first, last) of one name.
void add_import(const Draft& draft, std::size_t first, std::size_t last, ReferenceText& out) {
  std::string path;
  std::size_t i = first;
  while (i < last && draft.word(i) != "as") path += draft.word(i++);
  if (i + 1 < last) {
    out.modules[std::string(draft.word(i + 1))] = path;
  } else {
    const std::string top = path.substr(0, path.find('.'));
    out.modules[top] = top;
  }
}

// `from a.b import c, d as e`: the names after `import`.
void add_from_import(const Draft& draft, const DraftLine& line, ReferenceText& out) {
  std::string module;
  std::size_t i = line.first + 1;
  while (i < line.last && draft.word(i) != "import") module += draft.word(i++);
  for (++i; i < line.last; ++i) {
    if (!draft.is_name(i)) continue;
    const std::string path = module + "." + std::string(draft.word(i));
    if (draft.word(i + 1) == "as") i += 2;
    out.modules[std::string(draft.word(i))] = path;
  }
}

bool is_import(const Draft& draft, const DraftLine& line) {
  return draft.word(line.first) == "import" || draft.word(line.first) == "from";
}

void add_imports(const Draft& draft, const DraftLine& line, ReferenceText& out) {
  if (draft.word(line.first) == "from") return add_from_import(draft, line, out);
  std::size_t begin = line.first + 1;
  for (std::size_t i = begin; i <= line.last; ++i) {
    if (i != line.last && draft.word(i) != ",") continue;
    add_import(draft, begin, i, out);
    begin = i + 1;
  }
}

bool is_literal(const Draft& draft, const DraftLine& line) {
  return draft.kind(line.first) == python::TokenKind::string;
}

// NAME = … and NAME: type = …; the place of the '='.
std::size_t constant_equals(const Draft& draft, const DraftLine& line) {
  if (!draft.is_name(line.first)) return line.last;
  if (draft.word(line.first + 1) == "=") return line.first + 1;
  if (draft.word(line.first + 1) != ":") return line.last;
  std::size_t i = line.first + 2;
  while (i < line.last && draft.word(i) != "=") ++i;
  return i;
}

// Tokens [first, last) between commas outside brackets.
std::vector<std::string> comma_parts(const Draft& draft, std::size_t first, std::size_t last) {
  std::vector<std::string> parts;
  std::size_t begin = first;
  for (std::size_t i = first; i < last; i = draft.past(i) + 1) {
    if (draft.word(i) != ",") continue;
    parts.push_back(draft.render(begin, i));
    begin = i + 1;
  }
  if (begin < last) parts.push_back(draft.render(begin, last));
  return parts;
}

// A, B = 1, 2: as many names as values.
bool add_constant_tuple(const Draft& draft, const DraftLine& line, ReferenceText& out) {
  std::size_t equals = line.first;
  for (; equals < line.last && draft.word(equals) != "="; ++equals) {
    if (!draft.is_name(equals) && draft.word(equals) != ",") return false;
  }
  if (equals == line.last) return false;
  const auto names = comma_parts(draft, line.first, equals);
  const auto values = comma_parts(draft, equals + 1, line.last);
  if (names.size() != values.size()) return false;
  for (std::size_t k = 0; k < names.size(); ++k) {
    out.constants.push_back({names[k], values[k], draft.line_of(line.first)});
  }
  return true;
}

bool is_plain_setting(const Draft& draft, const DraftLine& line) {
  const std::string text = draft.render(line.first, line.last);
  return text.rfind("torch.backends.", 0) == 0 || text.rfind("torch.manual_seed(0)", 0) == 0 ||
         text.rfind("torch.set_grad_enabled(", 0) == 0 || text.rfind("__all__", 0) == 0;
}

// A statement of the module's top level that is no function.
void add_statement(const Draft& draft, const DraftLine& line, ReferenceText& out) {
  const std::string_view word = draft.word(line.first);
  if (is_import(draft, line)) return add_imports(draft, line, out);
  if (word == "@" || word == "pass" || is_literal(draft, line)) return;
  if (word == "if" && draft.word(line.first + 1) == "__name__") return;
  if (is_plain_setting(draft, line)) return;
  const std::size_t equals = constant_equals(draft, line);
  if (equals < line.last) {
    out.constants.push_back(
        {std::string(word), draft.render(equals + 1, line.last), draft.line_of(line.first)});
    return;
  }
  if (add_constant_tuple(draft, line, out)) return;
  if (word == "class") throw UnsupportedText{"a class", draft.line_of(line.first)};
  throw UnsupportedText{"this statement outside of a function", draft.line_of(line.first)};
}

// Level 0 alone: functions and blocks are skipped, and so are functions written as a lambda.
void read_top_level(const Draft& draft, const std::vector<Scope>& scopes, ReferenceText& out) {
  for (const DraftLine& line : draft.lines()) {
    if (line.level > 0) continue;
    const bool is_function = std::any_of(scopes.begin(), scopes.end(), [&](const Scope& scope) {
      return scope.first == line.first;
    });
    if (!is_function) add_statement(draft, line, out);
  }
}

ReferenceText read(Draft draft) {
  ReferenceText out;
  refuse_statements(draft);
  const std::vector<Scope> scopes = find_scopes(draft);
  apply_token_rules(draft);
  lift_inner_functions(draft, scopes);
  read_top_level(draft, scopes, out);
  refuse_decorators(draft, out);
  refuse_constants(draft, out);
  refuse_other_meanings(draft, out);
  for (const DraftLine& line : draft.lines()) {
    const bool is_decorator = draft.word(line.first) == "@";
    if (line.level == 0 || !(is_import(draft, line) || is_decorator)) continue;
    if (!is_decorator) add_imports(draft, line, out);
    draft.replace_all(line.first, line.last, "pass");
  }
  observe_statements(draft, scopes);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {  // inner ones first
    out.functions.insert(out.functions.begin(), function_text(draft, *scope));
    if (scope->parent >= 0) draft.replace_all(scope->first, scope->last, "pass");
  }
  return out;
}

}  // namespace

std::variant<ReferenceText, UnsupportedText> read_reference(std::string_view text) {
  int line = 0;
  auto draft = Draft::read(text, line);
  if (!draft) return UnsupportedText{"this text, which is no Python,", line};
  try {
    return read(*std::move(draft));
  } catch (UnsupportedText& error) {
    return std::move(error);
  }
}

}  // namespace kbench
