#include "kernels/operators/name_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/words.hpp"

namespace kbench::ops {
namespace {

// Names that may stand behind "__i", in place. https://peps.python.org/pep-0203/
constexpr std::string_view augmented[] = {"add",    "sub",    "mul", "div", "mod", "pow",
                                          "lshift", "rshift", "and", "xor", "or"};

constexpr std::string_view python_keywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

constexpr std::string_view cpp_keywords[] = {"alignas",       "alignof",     "and",
                                             "and_eq",        "asm",         "auto",
                                             "bitand",        "bitor",       "bool",
                                             "break",         "case",        "catch",
                                             "char",          "char16_t",    "char32_t",
                                             "char8_t",       "class",       "co_await",
                                             "co_return",     "co_yield",    "compl",
                                             "concept",       "const",       "const_cast",
                                             "consteval",     "constexpr",   "constinit",
                                             "continue",      "decltype",    "default",
                                             "delete",        "do",          "double",
                                             "dynamic_cast",  "else",        "enum",
                                             "explicit",      "export",      "extern",
                                             "false",         "float",       "for",
                                             "friend",        "goto",        "if",
                                             "inline",        "int",         "long",
                                             "mutable",       "namespace",   "new",
                                             "noexcept",      "not",         "not_eq",
                                             "nullptr",       "operator",    "or",
                                             "or_eq",         "private",     "protected",
                                             "public",        "register",    "reinterpret_cast",
                                             "requires",      "return",      "short",
                                             "signed",        "sizeof",      "static",
                                             "static_assert", "static_cast", "struct",
                                             "switch",        "template",    "this",
                                             "thread_local",  "throw",       "true",
                                             "try",           "typedef",     "typeid",
                                             "typename",      "union",       "unsigned",
                                             "using",         "virtual",     "void",
                                             "volatile",      "wchar_t",     "while",
                                             "xor",           "xor_eq"};

// Macros of C++ and its headers, and words that gcc has in its own dialect.
constexpr std::string_view macros[] = {
    "BUFSIZ",        "EOF",         "FLT_MAX",     "FLT_MIN",       "HUGE_VAL",
    "INFINITY",      "INT_MAX",     "INT_MIN",     "LONG_MAX",      "LONG_MIN",
    "NAN",           "NULL",        "RAND_MAX",    "SIZE_MAX",      "__cplusplus",
    "__DATE__",      "__FILE__",    "__LINE__",    "__TIME__",      "alloca",
    "assert",        "errno",       "linux",       "offsetof",      "stderr",
    "stdin",         "stdout",      "unix",        "__FUNCTION__",  "__PRETTY_FUNCTION__",
    "__alignof",     "__alignof__", "__asm",       "__asm__",       "__attribute",
    "__attribute__", "__auto_type", "__complex",   "__complex__",   "__const",
    "__const__",     "__declspec",  "__decltype",  "__extension__", "__func__",
    "__imag",        "__imag__",    "__inline",    "__inline__",    "__int128",
    "__label__",     "__null",      "__real",      "__real__",      "__restrict",
    "__restrict__",  "__signed",    "__signed__",  "__thread",      "__typeof",
    "__typeof__",    "__volatile",  "__volatile__"};

bool is_letter(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return (lower >= 'a' && lower <= 'z') || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void check_namespace(Piece space, std::vector<Flaw>& flaws) {
  if (space.text.find("::") != npos) {
    error(flaws, space.at,
          fmt::format("Codegen doesn't support more than 1 level(s) of custom namespace. Got {}.",
                      space.text),
          "an operator stands in one namespace, as in \"ns::name.out\"");
  } else if (!is_identifier(space.text)) {
    error(flaws, space.at, fmt::format("\"{}\" is no name of a namespace", space.text));
  }
}

void check_base(Piece base, std::vector<Flaw>& flaws) {
  if (base.empty()) return error(flaws, base.at, "operator name cannot be empty");
  if (!is_identifier(base.text))
    return error(flaws, base.at, fmt::format("\"{}\" is no name of an operator", base.text),
                 "names are made of letters, digits and _");
  if (base.text.ends_with("_out"))
    return error(flaws, base.at,
                 "_out suffix is reserved and not permitted for operator names; did you mean to "
                 "specify an out overload name instead?",
                 fmt::format("{}.out", base.text.substr(0, base.text.size() - 4)));
  const bool is_dunder =
      base.text.size() > 4 && base.text.starts_with("__") && base.text.ends_with("__");
  if (!is_dunder || base.text[2] != 'i') return;
  if (!is_one_of(base.text.substr(3, base.text.size() - 5), augmented))
    error(flaws, base.at, fmt::format("unexpected dunder method starting with 'i': {}", base.text));
}

}  // namespace

bool is_identifier(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_python_keyword(std::string_view name) { return is_one_of(name, python_keywords); }
bool is_taken_in_cpp(std::string_view name) {
  return is_one_of(name, cpp_keywords) || is_one_of(name, macros) || name.starts_with("__builtin_");
}

void check_name(Piece name, std::vector<Flaw>& flaws) {
  const std::size_t colons = name.text.rfind("::");
  if (colons != npos) check_namespace(name.until(colons), flaws);
  const Piece rest = colons == npos ? name : name.from(colons + 2);
  const std::size_t dot = rest.text.find('.');
  check_base(rest.until(std::min(dot, rest.text.size())), flaws);
  if (dot == npos) return;
  const Piece overload = rest.from(dot + 1);
  // "_" alone and a digit in front are valid: native_functions.yaml has "from", "_out", "2_4".
  const bool is_good =
      !overload.empty() && std::all_of(overload.text.begin(), overload.text.end(),
                                       [](char c) { return is_letter(c) || is_digit(c); });
  if (!is_good)
    error(flaws, overload.at, fmt::format("\"{}\" is no name of an overload", overload.text),
          "names are made of letters, digits and _");
}

namespace {

constexpr std::string_view openers = "([{\"'";
constexpr std::string_view closers = ")]}\"'";

bool opens(char c) { return openers.find(c) != npos; }
bool is_quote(char c) { return c == '"' || c == '\''; }

// Returns the byte behind the string that begins at `open`.
std::size_t skip_string(std::string_view text, std::size_t open) {
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[open]) {
      return i + 1;
    }
  }
  return npos;
}

}  // namespace

Piece Piece::trimmed() const {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == npos) return until(0);
  return until(text.find_last_not_of(' ') + 1).from(first);
}

std::size_t skip_group(std::string_view text, std::size_t open) {
  std::string wanted;  // closers of the groups that are open
  std::size_t i = open;
  while (i < text.size()) {
    const char c = text[i];
    if (is_quote(c)) {
      i = skip_string(text, i);
    } else {
      if (opens(c)) wanted += closers[openers.find(c)];
      if (!wanted.empty() && c == wanted.back()) wanted.pop_back();
      ++i;
    }
    if (wanted.empty()) return i;
  }
  return npos;
}

std::vector<Piece> split_at_commas(Piece list) {
  std::vector<Piece> parts;
  if (list.empty()) return parts;
  std::size_t begin = 0;
  bool groups = true;  // false once a group is not closed: the rest is split at every comma
  for (std::size_t i = 0; i < list.text.size();) {
    const char c = list.text[i];
    const std::size_t behind = groups && opens(c) ? skip_group(list.text, i) : i + 1;
    groups = groups && behind != npos;
    if (c == ',') {
      parts.push_back(list.until(i).from(begin));
      begin = i + 1;
    }
    i = behind == npos ? i + 1 : behind;
  }
  parts.push_back(list.from(begin));
  return parts;
}

}  // namespace kbench::ops
