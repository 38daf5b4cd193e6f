// Python's syntax as far as kbench needs it: whether a text is valid, which functions it defines,
// what an expression says. No Python is involved and nothing is run. Grammar: the Python 3.11
// language reference, chapters 2 (lexical analysis), 6, 7, 8 and 10.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kbench::python {

// Place where a text stops being Python. `message` is worded as CPython words it where that is
// simple ("invalid syntax", "unterminated string literal", "expected ':'", "unexpected indent", …).
struct SyntaxError {
  std::string message;
  std::size_t offset = 0;  // byte in the text
};

enum class TokenKind { name, number, string, op, newline, indent, dedent, end };

struct Token {
  TokenKind kind;
  std::size_t begin;  // bytes [begin, end) of the text
  std::size_t end;
};

// Comments and line breaks inside brackets give no token; keywords are names; `indent` and `dedent`
// are empty. An f-string is one string token.
std::variant<std::vector<Token>, SyntaxError> tokenize(std::string_view text);

struct Parameter {
  enum class Kind { positional, keyword_only, var_positional, var_keyword };
  std::string name;
  Kind kind = Kind::positional;
  bool has_default = false;
  std::string_view annotation = {};     // its text, "" where there is none
  std::string_view default_value = {};  // its text, "" where there is none
};

struct Function {
  std::string name;
  std::vector<Parameter> parameters;
  bool is_async = false;
  std::size_t begin = 0;       // start of the first decorator, or of def
  std::size_t def_begin = 0;   // start of `def` (or `async`)
  std::size_t body_begin = 0;  // end of the ':' of the header
  std::size_t end = 0;         // end of the last line of the body
};

// A statement of the module's top level that is no function. Simple statements that share a line
// come one by one; a compound statement ends with its last line, a decorated class begins with its
// first decorator.
struct Statement {
  std::string keyword;  // "import", "from", "class", "if", "match", "async" (for, with), …;
                        // "" for an expression or assignment
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Module {
  std::vector<Function> functions;    // top level only, in order
  std::vector<Statement> statements;  // top level only, in order
};

// Reads a module: its lines, brackets, literals, blocks, expressions and heads of functions.
// Accepts every text that ast.parse of CPython 3.11 accepts, within fixed bounds on depth (200
// brackets, 99 indentations, about 2900 levels of an expression), and some that it refuses: the
// grammar of statements and the insides of f-strings are left to the program that runs the text.
std::variant<Module, SyntaxError> parse_module(std::string_view text);

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

// An expression tree. The members in use depend on `kind`; the operators are Python's tokens.
struct Expression {
  enum class Kind {
    integer,      // value (text in `text` where it exceeds 64 bits)
    number,       // text: a float or complex literal
    string,       // text: the literal with its quotes
    constant,     // text: True, False, None or ...
    name,         // text
    unary,        // text: - + ~ not; operands[0]
    binary,       // text: + - * / // % ** @ << >> & | ^; operands[0], operands[1]
    comparison,   // comparators[i] between operands[i] and operands[i + 1]
    boolean,      // text: and | or; operands
    conditional,  // operands: value if true, condition, value if false
    attribute,    // operands[0] . text
    subscript,    // operands[0] [ operands[1] ]
    call,         // operands[0] ( operands[1..] ), keywords included as their values
    other,  // list, tuple, dict, set, lambda, comprehension, slice, starred, f-string, walrus,
            // await; operands: its parts, except those of an f-string
  };
  // The forms of `other` that are told apart.
  enum class Form { none, sequence /* list, tuple */, slice, comprehension };
  Kind kind = Kind::other;
  Form form = Form::none;
  std::size_t begin = 0, end = 0;  // bytes of the text, parentheses around it included
  std::string text;
  long long value = 0;
  std::vector<ExpressionPtr> operands;
  std::vector<std::string> comparators;
  // Roles of the operands. Call: the keyword, "" without one. Slice: "lower", "upper", "step".
  // Comprehension: "for" a target, "in" what it goes through, "if" a condition, "" the element.
  std::vector<std::string> roles;
};

// One expression, as Python's eval mode takes it: a leading space, a comment alone or an assignment
// is an error.
std::variant<ExpressionPtr, SyntaxError> parse_expression(std::string_view text);

}  // namespace kbench::python
