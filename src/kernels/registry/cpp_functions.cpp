#include "kernels/registry/cpp_functions.hpp"

#include <algorithm>
#include <optional>

#include "base/words.hpp"
#include "kernels/registry/cpp_types.hpp"

namespace kbench {
namespace {

using TokenKind = CppToken::Kind;
using Tokens = std::vector<CppToken>;
using TokenSpan = std::span<const CppToken>;

std::string text_of(TokenSpan tokens) {
  std::string out;
  for (const CppToken& token : tokens) {
    const bool is_apart = !out.empty() && token.kind == TokenKind::word && out.back() != '(' &&
                          out.back() != ':' && out.back() != '<';
    out += is_apart ? " " + token.text : token.text;
  }
  return out;
}

// Splits at commas outside of brackets of all kinds.
std::vector<TokenSpan> split_parameters(TokenSpan list) {
  std::vector<TokenSpan> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const bool is_end = i == list.size();
    if (!is_end && list[i].kind == TokenKind::symbol) {
      depth += static_cast<int>(is_one_of(list[i].text, {"(", "<", "{", "["}));
      depth -= static_cast<int>(is_one_of(list[i].text, {")", ">", "}", "]"}));
    }
    if (!is_end && (depth > 0 || !list[i].is(","))) continue;
    if (i > begin) parts.push_back(list.subspan(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

// Tells whether the last word is a name, as in "const Tensor& self", not the type's only one.
bool has_name(TokenSpan tokens) {
  constexpr std::string_view of_types[] = {"const",  "int",  "long", "short", "unsigned",
                                           "signed", "char", "bool", "float", "double"};
  if (tokens.size() < 2 || tokens.back().kind != TokenKind::word) return false;
  if (is_one_of(tokens.back().text, of_types)) return false;
  const TokenSpan before = tokens.first(tokens.size() - 1);
  if (before.back().is("::")) return false;
  return std::any_of(before.begin(), before.end(), [](const CppToken& one) {
    return one.kind == TokenKind::word && one.text != "const" && !looks_like_macro(one);
  });
}

SignatureParameter parameter_of(TokenSpan tokens, const CppAliases& aliases) {
  const auto equals =
      std::find_if(tokens.begin(), tokens.end(), [](const CppToken& one) { return one.is("="); });
  SignatureParameter parameter;
  if (equals != tokens.end()) parameter.default_value = text_of({equals + 1, tokens.end()});
  TokenSpan declared(tokens.begin(), equals);
  if (has_name(declared)) {
    parameter.name = declared.back().text;
    declared = declared.first(declared.size() - 1);
  }
  parameter.type = type_text(declared, aliases);
  return parameter;
}

// Reads one of the alternatives in which a source may be compiled.
class FunctionReader {
 public:
  // `macros`: the text of the source's directives.
  FunctionReader(const Tokens& tokens, const std::string& macros, CppSource& source)
      : tokens_(tokens), macros_(macros), aliases_(cpp_aliases(tokens)), source_(source) {}

  void read() {
    std::size_t begin = 0;  // begin of the statement
    int depth = 0;          // depth of parentheses
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const CppToken& token = tokens_[i];
      depth += static_cast<int>(token.is("(")) - static_cast<int>(token.is(")"));
      if (depth > 0 || !(token.is("{") || token.is("}") || token.is(";"))) continue;
      if (token.is("}") && !scopes_.empty()) scopes_.pop_back();
      if (token.is("{")) i = open(TokenSpan(tokens_).subspan(begin, i - begin), i);
      begin = i + 1;
      depth = 0;
    }
  }

 private:
  struct Scope {
    std::string name;
    bool is_local = false;
  };

  // Opens the block at `brace`. Returns where the reader goes on: in it, or at its end.
  std::size_t open(TokenSpan statement, std::size_t brace) {
    const Tokens words = without_attributes(statement);
    const auto space = std::find_if(words.begin(), words.end(),
                                    [](const CppToken& one) { return one.is_word("namespace"); });
    if (space != words.end()) {
      const std::string name = namespace_name({space + 1, words.end()});
      scopes_.push_back({name, name.empty()});
      return brace;
    }
    const bool is_linkage = words.size() >= 2 && words[words.size() - 2].is_word("extern") &&
                            words.back().kind == TokenKind::literal;
    if (is_linkage) {
      scopes_.push_back({});
      return brace;
    }
    const std::size_t end = closing_bracket(tokens_, brace);
    add_function(words, TokenSpan(tokens_).subspan(brace, std::min(end, tokens_.size()) - brace));
    return end;
  }

  static std::string namespace_name(TokenSpan words) {
    std::string name;
    for (const CppToken& word : words) {
      const bool goes_on = name.empty() || name.ends_with(':') || word.is("::");
      if (goes_on && !word.is_word("inline")) name += word.text;
    }
    return name;
  }

  // Finds the parenthesis behind a function's name. Macros may stand before the name, and behind.
  static std::optional<std::size_t> parameters_of(const Tokens& words) {
    std::optional<std::size_t> found;
    const bool is_template = words.size() > 1 && words[0].is_word("template") && words[1].is("<");
    for (std::size_t i = is_template ? end_of_list(words, 1) : 0; i < words.size(); ++i) {
      if (is_one_of(words[i].text, {":", "->", "="})) break;
      if (!words[i].is("(")) continue;
      if (i > 1 && may_be_name(words[i - 1])) {
        found = i;
        if (!looks_like_macro(words[i - 1])) break;
      }
      i = closing_bracket(words, i);
    }
    return found;
  }

  static bool may_be_name(const CppToken& token) {
    return token.kind == TokenKind::word &&
           !is_one_of(token.text, {"noexcept", "requires", "decltype"});
  }

  // Returns where the parameter list of a template ends.
  static std::size_t end_of_list(const Tokens& words, std::size_t i) {
    for (int depth = 0; i < words.size(); ++i) {
      depth += static_cast<int>(words[i].is("<")) - static_cast<int>(words[i].is(">"));
      if (depth == 0) break;
    }
    return i;
  }

  bool is_read(const std::string& name, TokenSpan body) const {
    return macros_.find(name) != std::string::npos ||
           std::any_of(body.begin(), body.end(),
                       [&](const CppToken& one) { return one.is_word(name); });
  }

  void note_unread(TokenSpan body, CppFunction& function) const {
    const std::vector<SignatureParameter>& parameters = function.signature.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].name.empty() || !is_read(parameters[i].name, body))
        function.unread.insert(i);
    }
  }

  void add_function(const Tokens& words, TokenSpan body) {
    const auto open = parameters_of(words);
    if (!open) return;
    const std::size_t close = closing_bracket(words, *open);
    if (close == words.size()) return;
    CppFunction function;
    std::size_t begin = *open - 1;  // begin of the name, with its scopes
    function.name = words[begin].text;
    std::string within;
    for (; begin >= 2 && words[begin - 1].is("::") && words[begin - 2].kind == TokenKind::word;
         begin -= 2)
      within = within.empty() ? words[begin - 2].text : words[begin - 2].text + "::" + within;
    if (begin >= 1 && words[begin - 1].is("::")) --begin;
    const TokenSpan before = TokenSpan(words).first(begin);
    const auto has = [&](std::string_view word) {
      return std::any_of(before.begin(), before.end(),
                         [&](const CppToken& one) { return one.is_word(word); });
    };
    function.is_template = has("template");
    function.is_local = has("static");
    for (const Scope& scope : scopes_) {
      function.is_local |= scope.is_local;
      append(function.scope, scope.name);
    }
    append(function.scope, within);
    add_signature(words, {begin, *open, close}, function);
    note_unread(body, function);
    if (std::find(source_.functions.begin(), source_.functions.end(), function) ==
        source_.functions.end())
      source_.functions.push_back(std::move(function));
  }

  struct Head {
    std::size_t name = 0;
    std::size_t open = 0;
    std::size_t close = 0;
  };

  void add_signature(const Tokens& words, const Head& head, CppFunction& function) {
    const TokenSpan all(words);
    for (const TokenSpan one :
         split_parameters(all.subspan(head.open + 1, head.close - head.open - 1)))
      function.signature.parameters.push_back(parameter_of(one, aliases_));
    std::vector<SignatureParameter>& parameters = function.signature.parameters;
    if (parameters.size() == 1 && parameters[0].type == "void") parameters.clear();
    const auto arrow = std::find_if(words.begin() + static_cast<std::ptrdiff_t>(head.close),
                                    words.end(), [](const CppToken& one) { return one.is("->"); });
    const TokenSpan returned =
        arrow == words.end() ? all.first(head.name) : TokenSpan(arrow + 1, words.end());
    function.signature.returns = type_text(returned, aliases_);
  }

  static void append(std::string& scope, const std::string& name) {
    if (!scope.empty() && !name.empty()) scope += "::";
    scope += name;
  }

  const Tokens& tokens_;
  const std::string& macros_;
  CppAliases aliases_;
  CppSource& source_;
  std::vector<Scope> scopes_;
};

// Adds words of "UNARY(float, f_out)" at the beginning of a line: words alone stand in it.
void add_macro_arguments(const Tokens& tokens, std::set<std::string>& out) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const char first = tokens[i].text.front();
    const bool may_be = tokens[i].begins_line && tokens[i].kind == TokenKind::word &&
                        'A' <= first && first <= 'Z' && tokens[i + 1].is("(");
    for (std::size_t j = i + 2; may_be && j < tokens.size(); j += 2) {
      if (tokens[j].kind != TokenKind::word) break;
      out.insert(tokens[j].text);
      if (j + 1 >= tokens.size() || !tokens[j + 1].is(",")) break;
    }
  }
}

}  // namespace

CppSource read_cpp_source(std::string_view text) {
  const Tokens tokens = cpp_tokens(text);
  CppSource source;
  source.puts_names_together = std::any_of(tokens.begin(), tokens.end(), [](const CppToken& one) {
    return one.kind == TokenKind::directive && one.text.find("##") != std::string::npos;
  });
  std::string macros;
  for (const CppToken& one : tokens)
    if (one.kind == TokenKind::directive) macros += one.text + "\n";
  for (const Tokens& compiled : cpp_alternatives(tokens)) {
    FunctionReader(compiled, macros, source).read();
    add_macro_arguments(compiled, source.macro_arguments);
  }
  return source;
}

}  // namespace kbench
