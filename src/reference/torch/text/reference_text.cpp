#include "reference/torch/text/reference_text.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "base/text.hpp"
#include "base/words.hpp"
#include "syntax/python.hpp"
#include "syntax/unicode.hpp"

namespace kbench {
namespace {

using python::TokenKind;

struct Word {
  std::string_view text;
  TokenKind kind;
};

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  const auto tokens = python::tokenize(text);
  if (std::holds_alternative<python::SyntaxError>(tokens)) return words;
  for (const python::Token& token : std::get<std::vector<python::Token>>(tokens)) {
    const bool is_word = token.kind == TokenKind::name || token.kind == TokenKind::number ||
                         token.kind == TokenKind::string || token.kind == TokenKind::op;
    if (is_word) words.push_back({text.substr(token.begin, token.end - token.begin), token.kind});
  }
  return words;
}

// Recognises a number with or without its sign, or True, False, None: nothing can be written to it,
// and its value does not depend on when it is read.
bool is_literal(std::span<const Word> words) {
  if (words.size() == 2 && words[0].text == "-") return words[1].kind == TokenKind::number;
  if (words.size() != 1) return false;
  return words[0].kind == TokenKind::number || is_one_of(words[0].text, {"True", "False", "None"});
}

// Import that does nothing but bind a name: any other may print, fail or draw numbers.
struct Import {
  std::string_view text, name, path;
};
constexpr Import imports[] = {
    {"import torch", "torch", "torch"},
    {"import math", "math", "math"},
    {"import torch.nn as nn", "nn", "torch.nn"},
    {"from torch import nn", "nn", "torch.nn"},
    {"import torch.nn.functional as F", "F", "torch.nn.functional"},
    {"from torch.nn import functional as F", "F", "torch.nn.functional"},
    {"from torch import Tensor", "Tensor", "torch.Tensor"},
    {"from __future__ import annotations", "annotations", "__future__.annotations"},
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  ReferenceText read() {
    const auto module = python::parse_module(text_);
    if (const auto* error = std::get_if<python::SyntaxError>(&module))
      refuse("this text, which is no Python,", error->offset);
    const std::size_t comment = text_.find("# type:");
    if (comment != std::string_view::npos) refuse("a comment that gives a type", comment);
    for (const auto& statement : std::get<python::Module>(module).statements) add(statement);
    for (const auto& function : std::get<python::Module>(module).functions) add(function);
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(std::string construct, std::size_t offset) const {
    throw UnsupportedText{std::move(construct), line_of(offset)};
  }

  int line_of(std::size_t offset) const {
    return static_cast<int>(python::line_of(text_, std::min(offset, text_.size())));
  }

  std::string_view part(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }

  void add_name(std::string_view name, std::size_t offset) {
    if (names_.insert(std::string(name)).second) return;
    refuse("giving " + std::string(name) + " two meanings at module level", offset);
  }

  void add(const python::Statement& statement) {
    const std::vector<Word> words = words_of(part(statement.begin, statement.end));
    if (statement.keyword == "import" || statement.keyword == "from")
      return add_import(std::string(part(statement.begin, statement.end)), statement.begin);
    if (words.size() == 1 && words[0].kind == TokenKind::string) return;
    const bool is_constant =
        words.size() > 2 && words[0].kind == TokenKind::name && words[1].text == "=";
    if (!is_constant || !is_literal(std::span(words).subspan(2)))
      refuse("this statement outside of a function", statement.begin);
    add_name(words[0].text, statement.begin);
    const std::string sign = words.size() == 4 ? "-" : "";
    out_.constants[std::string(words[0].text)] = sign + std::string(words.back().text);
  }

  void add_import(std::string text, std::size_t offset) {
    const auto known = std::find_if(std::begin(imports), std::end(imports),
                                    [&](const Import& import) { return import.text == text; });
    if (known == std::end(imports)) return refuse(text, offset);
    const auto [at, is_new] = out_.modules.emplace(known->name, known->path);
    if (is_new && !known->name.empty()) add_name(known->name, offset);
  }

  void add(const python::Function& function) {
    add_name(function.name, function.def_begin);
    const std::string_view decorators = trim(part(function.begin, function.def_begin));
    if (!is_one_of(decorators, {"", "@torch.no_grad()", "@torch.inference_mode()"}))
      refuse("the decorator " + std::string(decorators), function.begin);
    if (function.is_async) refuse("\"async\"", function.def_begin);
    FunctionText& out = out_.functions.emplace_back();
    out.name = function.name;
    for (const python::Parameter& parameter : function.parameters) {
      if (parameter.kind != python::Parameter::Kind::positional)
        refuse("the parameter *" + parameter.name, function.def_begin);
      if (parameter.has_default && !is_literal(words_of(parameter.default_value)))
        refuse("a default that is no number", function.def_begin);
      out.parameters.push_back(parameter.name);
    }
    out.body = std::string(part(function.body_begin, function.end)) + "\n";
    out.line = line_of(function.def_begin);
    out.body_line = line_of(function.body_begin);
  }

  std::string_view text_;
  ReferenceText out_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace

const FunctionText* ReferenceText::function(std::string_view name) const {
  for (const FunctionText& function : functions)
    if (function.name == name) return &function;
  return nullptr;
}

std::variant<ReferenceText, UnsupportedText> read_reference(std::string_view text) {
  try {
    return Reader(text).read();
  } catch (UnsupportedText& error) {
    return std::move(error);
  }
}

}  // namespace kbench
