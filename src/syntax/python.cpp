#include "syntax/python.hpp"

#include "syntax/expression_parser.hpp"
#include "syntax/unicode.hpp"

namespace kbench::python {
namespace {

// Reads lines, blocks and expressions. The grammar of each statement is the business of the
// program that runs the text: `f() = 1` and a `try` without its `except` are read as well.
class ModuleReader : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  // Reads all statements; the module is of no use if the reader failed.
  Module module();

 private:
  void statement();
  void function(std::size_t first);
  void compound(std::size_t first);
  void cases(std::size_t line);
  void header();
  void skip_header();
  // Reads the body behind a ':'. `what` it belongs to, and the byte where its line begins, are for
  // the error.
  void block(const std::string& what, std::size_t line);
  void simple_statements();
  void simple_statement();
  void expressions();
  bool at_match() const;
  void collect(std::string keyword, std::size_t begin, std::size_t end);

  Module module_;
  unsigned nesting_ = 0;  // compound statements around the current one
};

Module ModuleReader::module() {
  while (!at(TokenKind::end)) statement();
  return std::move(module_);
}

void ModuleReader::collect(std::string keyword, std::size_t begin, std::size_t end) {
  if (nesting_ == 0) module_.statements.push_back({std::move(keyword), begin, end});
}

void ModuleReader::statement() {
  drop_nodes();
  const std::size_t first = begin();
  while (accept("@")) {
    named_expression();
    if (!accept(TokenKind::newline)) return fail();
  }
  if (at("def") || (at("async") && at("def", 1))) return function(first);
  if (at_any({"class", "if", "for", "while", "with", "try", "async"}) || at_match())
    return compound(first);
  if (begin() != first) return fail();  // a decorator stands before a function or a class
  simple_statements();
}

void ModuleReader::function(std::size_t first) {
  Function function;
  function.begin = first;
  function.def_begin = begin();
  function.is_async = accept("async");
  const std::size_t line = begin();
  advance();
  function.name = name_text();
  expect_name();
  if (!accept("(")) return fail("expected '('");
  parameters(ParameterList::function, &function.parameters);
  if (!accept(")")) return fail_in_brackets();
  if (accept("->")) expression();
  if (!accept(":")) return fail("expected ':'");
  function.body_begin = previous_end();
  block("function definition", line);
  function.end = previous_line_end();
  if (nesting_ == 0) module_.functions.push_back(std::move(function));
}

// `match` is a name, too: its statement is the only line that begins with it and ends in a colon.
bool ModuleReader::at_match() const {
  std::size_t end = 0;
  while (lexeme(end).kind != TokenKind::newline && lexeme(end).kind != TokenKind::end) ++end;
  return at("match") && end > 1 && at(":", end - 1);
}

// Reads a statement with its blocks, those of `else` and its like included.
void ModuleReader::compound(std::size_t first) {
  const std::string keyword = name_text();
  do {
    const std::size_t line = begin();
    accept("async");
    const std::string word = name_text();
    header();
    if (!accept(":")) return at(TokenKind::newline) ? fail("expected ':'") : fail();
    if (word == "match") {
      cases(line);
    } else {
      block(word == "class" ? "class definition" : "'" + word + "' statement", line);
    }
  } while (at_any({"elif", "else", "except", "finally"}));
  collect(keyword, first, previous_line_end());
}

// Stops at the colon.
void ModuleReader::header() {
  if (!at_any({"if", "elif", "while", "for"})) return skip_header();
  const bool is_loop = at("for");
  advance();
  if (!is_loop) {
    named_expression();
  } else {
    target_list();
    expect("in");
    star_expressions();
  }
}

// Passes over items, patterns, bases and types of exceptions, whose grammars are their own.
void ModuleReader::skip_header() {
  int brackets = 0;
  while (!at(TokenKind::newline) && !at(TokenKind::end) && (brackets > 0 || !at(":"))) {
    if (at_any({"(", "[", "{"})) ++brackets;
    if (at_any({")", "]", "}"})) --brackets;
    advance();
  }
}

void ModuleReader::cases(std::size_t line) {
  ++nesting_;
  if (!accept(TokenKind::newline) || !accept(TokenKind::indent))
    fail("expected an indented block after 'match' statement on line " +
         std::to_string(line_of(text_, line)));
  while (!at(TokenKind::dedent) && !at(TokenKind::end)) {
    const std::size_t start = begin();
    if (!at("case")) return fail();
    skip_header();
    expect(":");
    block("'case' statement", start);
  }
  accept(TokenKind::dedent);
  --nesting_;
}

void ModuleReader::block(const std::string& what, std::size_t line) {
  ++nesting_;
  if (!accept(TokenKind::newline)) {
    simple_statements();
  } else if (!accept(TokenKind::indent)) {
    fail("expected an indented block after " + what + " on line " +
         std::to_string(line_of(text_, line)));
  } else {
    do {
      statement();
    } while (!at(TokenKind::dedent) && !at(TokenKind::end));
    accept(TokenKind::dedent);
  }
  --nesting_;
}

void ModuleReader::simple_statements() {
  do {
    const std::size_t start = begin();
    const bool is_expression = at_expression() || at("yield");
    std::string keyword = lexeme().keyword && !is_expression ? name_text() : "";
    simple_statement();
    collect(std::move(keyword), start, previous_end());
  } while (accept(";") && !at(TokenKind::newline));
  if (!accept(TokenKind::newline)) fail();
}

void ModuleReader::simple_statement() {
  if (at_any({"import", "from", "global", "nonlocal"})) {
    while (!at(TokenKind::newline) && !at(TokenKind::end) && !at(";")) advance();
  } else if (at_any({"pass", "break", "continue"})) {
    advance();
  } else if (at_any({"return", "raise", "del", "assert"})) {
    advance();
    if (!at(TokenKind::newline) && !at(";")) expressions();
  } else {
    expressions();
  }
}

// Reads expressions between the signs of assignments, annotations and `raise … from`.
void ModuleReader::expressions() {
  do {
    yield_or_star_expressions();
  } while (accept("=") || accept(":") || accept("from") || accept_augmented());
}

}  // namespace

std::variant<std::vector<Token>, SyntaxError> tokenize(std::string_view text) {
  auto lexed = lex(text, Source::module);
  if (auto* error = std::get_if<SyntaxError>(&lexed)) return *error;
  std::vector<Token> tokens;
  for (const Lexeme& lexeme : std::get<0>(lexed))
    tokens.push_back({lexeme.kind, lexeme.begin, lexeme.end});
  return tokens;
}

std::variant<Module, SyntaxError> parse_module(std::string_view text) {
  auto lexed = lex(text, Source::module);
  if (auto* error = std::get_if<SyntaxError>(&lexed)) return *error;
  ModuleReader parser(text, std::get<0>(std::move(lexed)));
  Module module = parser.module();
  if (parser.error()) return *parser.error();
  return module;
}

std::variant<ExpressionPtr, SyntaxError> parse_expression(std::string_view text) {
  auto lexed = lex(text, Source::expression);
  if (auto* error = std::get_if<SyntaxError>(&lexed)) return *error;
  ExpressionParser parser(text, std::get<0>(std::move(lexed)));
  NodeId root = parser.whole_expression();
  if (parser.error()) return *parser.error();
  return to_expression(parser, text, root);
}

}  // namespace kbench::python
