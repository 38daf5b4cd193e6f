#include "reference/torch/text/refusals.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "base/words.hpp"
#include "reference/torch/text/truth_values.hpp"

namespace kbench {
namespace {

void refuse_words(const Draft& draft) {
  constexpr std::string_view words[] = {"try",    "yield",    "async", "await",
                                        "global", "nonlocal", "class"};
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.kind(i) != python::TokenKind::name) continue;
    if (std::find(std::begin(words), std::end(words), draft.word(i)) == std::end(words)) continue;
    throw UnsupportedText{"\"" + std::string(draft.word(i)) + "\"", draft.line_of(i)};
  }
}

// [x for x in xs if x > 0]
bool is_filtered_comprehension(const Draft& draft, std::size_t open) {
  bool is_comprehension = false;
  for (std::size_t i = open + 1; i < draft.closing(open); ++i) {
    const std::string_view w = draft.word(i);
    i = draft.past(i);
    if (w == "for") is_comprehension = true;
    if (w == "if" && is_comprehension) return true;
  }
  return false;
}

void refuse_comprehensions(const Draft& draft) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    const std::string_view w = draft.word(i);
    if (is_opening(w) && is_filtered_comprehension(draft, i)) {
      throw UnsupportedText{"a comprehension with a condition", draft.line_of(i)};
    }
    if (w == ":=" || w == ";" || w == "**=") {
      throw UnsupportedText{"\"" + std::string(w) + "\"", draft.line_of(i)};
    }
  }
}

bool any_dtype(const Draft& draft, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    if (draft.word(i) == "dtype") return true;
  }
  return false;
}

// f"{x.dtype}", "%s" % x.dtype, str(x.dtype), "{}".format(x.dtype)
bool is_dtype_text(const Draft& draft, const DraftLine& line, std::size_t i) {
  constexpr std::string_view calls[] = {"str", "format", "repr"};
  const std::string_view w = draft.word(i);
  if (draft.kind(i) == python::TokenKind::string) {
    if (draft.word(i + 1) == "%") return any_dtype(draft, i, line.last);
    return w.find('{') != w.npos && w.find("dtype") != w.npos;
  }
  const bool is_call = is_one_of(w, calls) && draft.word(i + 1) == "(";
  return is_call && any_dtype(draft, i, draft.closing(i + 1));
}

// A dtype is a number to LibTorch, so its text is another one. What is only said, in a message, may
// differ.
void refuse_dtype_texts(const Draft& draft) {
  constexpr std::string_view saying[] = {"assert", "raise", "print"};
  for (const DraftLine& line : draft.lines()) {
    if (is_one_of(draft.word(line.first), saying)) continue;
    for (std::size_t i = line.first; i < line.last; ++i) {
      if (is_dtype_text(draft, line, i)) {
        throw UnsupportedText{"the text of a dtype", draft.line_of(i)};
      }
    }
  }
}

// A call of something that gives random numbers: torch.rand(…), x.normal_().
bool draws_random_numbers(const Draft& draft, std::size_t i) {
  constexpr std::string_view names[] = {
      "rand",      "randn",        "randint",    "randperm",    "normal",       "bernoulli",
      "rand_like", "randn_like",   "poisson",    "normal_",     "uniform_",     "random_",
      "dropout",   "randint_like", "bernoulli_", "multinomial", "exponential_", "trunc_normal_"};
  return draft.is_name(i) && draft.word(i + 1) == "(" && is_one_of(draft.word(i), names);
}

bool any_random_numbers(const Draft& draft) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draws_random_numbers(draft, i)) return true;
  }
  return false;
}

// Is `name` a function of the reference?
bool is_own_function(const Draft& draft, std::string_view name) {
  for (const DraftLine& line : draft.lines()) {
    const std::size_t i = line.first;
    if (draft.word(i) == "def" && draft.word(i + 1) == name) return true;
    if (draft.word(i) == name && draft.word(i + 1) == "=" && draft.word(i + 2) == "lambda")
      return true;
  }
  return false;
}

bool is_own_call(const Draft& draft, std::size_t i) {
  if (!draft.is_name(i) || draft.word(i + 1) != "(") return false;
  return (i == 0 || draft.word(i - 1) != ".") && is_own_function(draft, draft.word(i));
}

// x.add_(1), xs.pop()
bool is_changing_call(const Draft& draft, std::size_t i) {
  if (i == 0 || draft.word(i - 1) != "." || draft.word(i + 1) != "(") return false;
  constexpr std::string_view methods[] = {"append",     "extend", "insert", "pop",
                                          "popitem",    "remove", "clear",  "update",
                                          "setdefault", "sort",   "reverse"};
  const std::string_view w = draft.word(i);
  if (is_one_of(w, methods)) return true;
  return w.size() > 1 && w.back() == '_' && w[w.size() - 2] != '_';
}

// `T[0] = 1`, `T += 1`, `T.add_(1)`, `T[0].add_(1)` and `f(L.append(2))`, where T and L stand at
// `i`.
bool changes_in_place(const Draft& draft, const DraftLine& line, std::size_t i) {
  const std::size_t name = i++;
  for (;;) {
    if (draft.word(i) == "[") {
      i = draft.closing(i) + 1;
    } else if (draft.word(i) == ".") {
      if (is_changing_call(draft, i + 1)) return true;
      i += 2;
    } else {
      break;
    }
  }
  const std::string_view w = draft.word(i);
  if (name != line.first || i >= line.last || w.empty() || w.back() != '=' || w == "==")
    return false;
  return i > name + 1 || w != "=";
}

void refuse_changes(const Draft& draft, const DraftLine& line, const std::string& name) {
  for (std::size_t i = line.first; i < line.last; ++i) {
    const bool is_it = draft.word(i) == name && (i == line.first || draft.word(i - 1) != ".");
    if (!is_it || !changes_in_place(draft, line, i)) continue;
    throw UnsupportedText{"changing " + name + ", which is at module level,", draft.line_of(i)};
  }
}

void refuse_changed_constants(const Draft& draft, const ReferenceText& text) {
  for (const DraftLine& line : draft.lines()) {
    if (line.level == 0) continue;
    for (const ConstantText& constant : text.constants) refuse_changes(draft, line, constant.name);
  }
}

void refuse_second_assignments(const Draft& draft, const ReferenceText& text) {
  std::set<std::string_view> names;
  for (const auto& [name, path] : text.modules) names.insert(name);
  for (const DraftLine& line : draft.lines()) {
    const bool is_def = line.level == 0 && draft.word(line.first) == "def";
    if (is_def) names.insert(draft.word(line.first + 1));
  }
  for (const ConstantText& constant : text.constants) {
    if (names.insert(constant.name).second) continue;
    throw UnsupportedText{"assigning " + constant.name + " twice at module level", constant.line};
  }
}

// Where the part of a module's line ends that is evaluated there and then: not the body of a
// function, but its defaults.
std::size_t end_of_evaluated(const Draft& draft, const DraftLine& line) {
  if (draft.word(line.first) == "def") return draft.closing(line.first + 2);
  return draft.word(line.first + 2) == "lambda" ? line.first : line.last;
}

void refuse_random_constants(const Draft& draft) {
  const bool any = any_random_numbers(draft);
  for (const DraftLine& line : draft.lines()) {
    if (line.level > 0 || !any) continue;
    const std::size_t end = end_of_evaluated(draft, line);
    for (std::size_t i = line.first; i < end; ++i) {
      const bool is_header = draft.word(line.first) == "def" && i < line.first + 3;
      if (is_header || !(draws_random_numbers(draft, i) || is_own_call(draft, i))) continue;
      throw UnsupportedText{"a random number at module level", draft.line_of(i)};
    }
  }
}

// The dotted path that `@path` or `@path(…)` stands for; "" for any other decorator.
std::string decorator_path(const Draft& draft, const DraftLine& line, const ReferenceText& text) {
  std::string path;
  std::size_t i = line.first + 1;
  const auto module = text.modules.find(draft.word(i));
  path = module != text.modules.end() ? module->second : draft.word(i);
  for (++i; draft.word(i) == "." && i < line.last; i += 2) {
    path.append(".").append(draft.word(i + 1));
  }
  if (i < line.last && draft.word(i) == "(") i = draft.closing(i) + 1;
  return i == line.last ? path : "";
}

}  // namespace

void refuse_statements(const Draft& draft) {
  refuse_words(draft);
  refuse_comprehensions(draft);
  refuse_operand_values(draft);
  refuse_dtype_texts(draft);
}

void refuse_decorators(const Draft& draft, const ReferenceText& text) {
  constexpr std::string_view harmless[] = {"torch.no_grad",    "torch.inference_mode",
                                           "torch.jit.script", "torch.jit.ignore",
                                           "torch.jit.unused", "torch.jit.export"};
  for (const DraftLine& line : draft.lines()) {
    if (draft.word(line.first) != "@") continue;
    if (is_one_of(decorator_path(draft, line, text), harmless)) continue;
    throw UnsupportedText{"the decorator " + draft.render(line.first, line.last),
                          draft.line_of(line.first)};
  }
}

void refuse_constants(const Draft& draft, const ReferenceText& text) {
  refuse_second_assignments(draft, text);
  refuse_changed_constants(draft, text);
  refuse_random_constants(draft);
}

void refuse_to_repeat(const Draft& draft, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const bool may_differ =
        is_own_call(draft, i) || is_changing_call(draft, i) || draws_random_numbers(draft, i);
    if (!may_differ) continue;
    throw UnsupportedText{
        "calling " + std::string(draft.word(i)) + "() between two comparisons or before \"or\"",
        draft.line_of(i)};
  }
}

}  // namespace kbench
