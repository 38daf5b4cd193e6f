#include "kernels/registry/cpp_types.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "kernels/registry/cpp_functions.hpp"

namespace kbench {
namespace {

using TokenKind = CppToken::Kind;
using Tokens = std::vector<CppToken>;

constexpr std::string_view not_of_the_type[] = {
    "static", "inline",   "extern",   "constexpr", "consteval",     "constinit",   "virtual",
    "friend", "explicit", "typename", "struct",    "class",         "volatile",    "register",
    "enum",   "__inline", "mutable",  "auto",      "__forceinline", "thread_local"};

// Types with two names here. Source: ExecuTorch, kernel_includes.h.
constexpr std::pair<std::string_view, std::string_view> same_types[] = {
    {"ArrayRef<Tensor>", "TensorList"},
    {"IntArrayRef", "ArrayRef<int64_t>"},
    {"RuntimeContext", "KernelRuntimeContext"},
    {"long", "int64_t"},
    {"long int", "int64_t"},
};

// Replaces aliases; one may stand for another one.
void expand(std::span<const CppToken> tokens, const CppAliases& aliases, Tokens& out, int depth) {
  for (const CppToken& token : tokens) {
    const auto alias = token.kind == TokenKind::word ? aliases.find(token.text) : aliases.end();
    if (alias == aliases.end() || depth == 0) {
      out.push_back(token);
    } else {
      expand(alias->second, aliases, out, depth - 1);
    }
  }
}

// Returns names without the namespaces before them.
Tokens without_namespaces(const Tokens& tokens) {
  Tokens out;
  for (const CppToken& token : tokens) {
    if (!token.is("::")) {
      out.push_back(token);
    } else if (!out.empty() && out.back().kind == TokenKind::word) {
      out.pop_back();
    }
  }
  return out;
}

// Removes macros: words that look like one, where a type stands beside them.
Tokens without_macros(const Tokens& tokens) {
  const auto is_name = [](const CppToken& one) {
    return one.kind == TokenKind::word && one.text != "const" && !looks_like_macro(one);
  };
  if (std::none_of(tokens.begin(), tokens.end(), is_name)) return tokens;
  Tokens out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!looks_like_macro(tokens[i])) {
      out.push_back(tokens[i]);
    } else if (i + 1 < tokens.size() && tokens[i + 1].is("(")) {
      i = closing_bracket(tokens, i + 1);
    }
  }
  return out;
}

std::string words_of(const Tokens& tokens) {
  std::string out;
  bool was_word = false;
  for (const CppToken& token : tokens) {
    const bool is_word = token.kind != TokenKind::symbol;
    if (is_word && was_word) out += ' ';
    out += token.text;
    if (token.is(",")) out += ' ';
    was_word = is_word;
  }
  for (const auto& [name, meaning] : same_types) {
    if (out == name) return std::string(meaning);
    // Types also stand in lists and optionals.
    for (const char* const around : {"ArrayRef<", "optional<"})
      if (out == around + std::string(name) + ">") return around + std::string(meaning) + ">";
  }
  return out;
}

// Adds the alias of "T = Tensor&" behind `using`, or "Tensor& T" behind `typedef`.
void add_alias(std::span<const CppToken> words, bool is_using, CppAliases& to) {
  if (words.size() < 2) return;
  if (is_using && words[1].is("="))
    to[words[0].text] = without_attributes(words.subspan(2));
  else if (!is_using && words.back().kind == TokenKind::word)
    to[words.back().text] = without_attributes(words.first(words.size() - 1));
}

}  // namespace

CppAliases cpp_aliases(const Tokens& tokens) {
  CppAliases aliases;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_using = tokens[i].is_word("using");
    if (!is_using && !tokens[i].is_word("typedef")) continue;
    std::size_t end = i + 1;
    while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is("{")) ++end;
    add_alias({tokens.data() + i + 1, end - i - 1}, is_using, aliases);
    i = end;
  }
  return aliases;
}

Tokens without_attributes(std::span<const CppToken> tokens) {
  constexpr std::string_view with_list[] = {"__attribute__", "__attribute", "__declspec",
                                            "alignas"};
  const Tokens all(tokens.begin(), tokens.end());
  Tokens out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool has_next = i + 1 < all.size();
    if (has_next && all[i].is("[") && all[i + 1].is("[")) {
      i = closing_bracket(all, i);
    } else if (has_next && is_one_of(all[i].text, with_list) && all[i + 1].is("(")) {
      i = closing_bracket(all, i + 1);
    } else {
      out.push_back(all[i]);
    }
  }
  return out;
}

bool looks_like_macro(const CppToken& token) {
  const auto is_small = [](char c) { return 'a' <= c && c <= 'z'; };
  return token.kind == TokenKind::word && token.text.size() > 2 &&
         std::none_of(token.text.begin(), token.text.end(), is_small);
}

std::string type_text(std::span<const CppToken> tokens, const CppAliases& aliases) {
  Tokens expanded;
  expand(tokens, aliases, expanded, 8);
  Tokens base;
  std::string passed;  // "&" and "*" behind it
  bool is_const = false;
  int depth = 0;
  for (const CppToken& token : without_macros(without_namespaces(expanded))) {
    depth += static_cast<int>(token.is("<")) - static_cast<int>(token.is(">"));
    const bool is_outside = depth == 0 && !token.is(">");
    if (is_outside && (token.is("&") || token.is("*"))) {
      passed += token.text;
    } else if (is_outside && token.is_word("const")) {
      is_const |= passed.empty();
    } else if (!is_one_of(token.text, not_of_the_type)) {
      base.push_back(token);
    }
  }
  // Arguments passed by value are copies, whether const or not.
  return (is_const && !passed.empty() ? "const " : "") + words_of(base) + passed;
}

std::string cpp_type(std::string_view text) { return type_text(cpp_tokens(text), {}); }

std::string plain_type(std::string_view text) {
  std::string out;
  for (const CppToken& token : cpp_tokens(text)) {
    const bool is_scope = token.is("::") || token.is(".");
    if (is_scope) out.erase(out.find_last_of("<[,") + 1);  // scope of the name
    if (!is_scope && !token.is("&") && !token.is_word("const")) out += token.text;
  }
  return out == "ArrayRef<Tensor>" ? "TensorList" : out;
}

}  // namespace kbench
