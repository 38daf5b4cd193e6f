#include "syntax/python.hpp"

#include <gtest/gtest.h>

namespace kbench::python {
namespace {

std::string kinds(std::string_view text) {
  auto result = tokenize(text);
  if (auto* error = std::get_if<SyntaxError>(&result)) return error->message;
  std::string letters;
  for (const Token& token : std::get<0>(result)) {
    letters += "n1so;><."[static_cast<int>(token.kind)];
  }
  return letters;
}

struct Kinds {
  std::string_view text;
  std::string_view expected;
};

class Tokens : public testing::TestWithParam<Kinds> {};

TEST_P(Tokens, HaveTheKinds) { EXPECT_EQ(kinds(GetParam().text), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Lines, Tokens,
    testing::Values(Kinds{"", "."}, Kinds{"a", "n;."}, Kinds{"a\r\nb\rc\n", "n;n;n;."},
                    Kinds{"# c\n\n  # d\n", "."}, Kinds{"a # c", "n;."},
                    Kinds{"if a:\n  b\nc", "nno;>n;<n;."}, Kinds{"if a:\n  b", "nno;>n;<."},
                    Kinds{"if a:\n\tb\n\n  # c\n\td\n", "nno;>n;n;<."},
                    Kinds{"(a\n  b\n)", "onno;."}, Kinds{"a \\\n  b", "nn;."}, Kinds{"\fa", "n;."},
                    Kinds{"  \fa", "n;."}, Kinds{" \\\na", ">n;<."}, Kinds{"\\\na", "n;."}));

INSTANTIATE_TEST_SUITE_P(Literals, Tokens,
                         testing::Values(Kinds{"0x_f 1_0.5e-3j 0b1", "111;."}, Kinds{"1if", "1n;."},
                                         Kinds{"a.b...c", "nonon;."}, Kinds{"x**=y//z", "nonon;."},
                                         Kinds{"f'{a}' Rb'\\'' u\"\"", "sss;."},
                                         Kinds{"ub''", "ns;."}, Kinds{"'''a\n'b''\n'''", "s;."},
                                         Kinds{"'a\\\nb'", "s;."}, Kinds{"é变 = _1", "non;."}));

INSTANTIATE_TEST_SUITE_P(
    Errors, Tokens,
    testing::Values(
        Kinds{"if a:\n\tb\n        c", "inconsistent use of tabs and spaces in indentation"},
        Kinds{"if a:\n    b\n  c", "unindent does not match any outer indentation level"},
        Kinds{"(", "'(' was never closed"},
        Kinds{"([)]", "closing parenthesis ')' does not match opening parenthesis '['"},
        Kinds{"(\n]", "closing parenthesis ']' does not match opening parenthesis '(' on line 1"},
        Kinds{"a)", "unmatched ')'"},
        Kinds{"\n'a", "unterminated string literal (detected at line 2)"},
        Kinds{"'''a\n", "unterminated triple-quoted string literal (detected at line 2)"},
        Kinds{"a \\ b", "unexpected character after line continuation character"},
        Kinds{"a \\\n", "unexpected EOF while parsing"}, Kinds{"1abc", "invalid decimal literal"},
        Kinds{"1__0", "invalid decimal literal"},
        Kinds{"012",
              "leading zeros in decimal integer literals are not permitted; use an 0o "
              "prefix for octal integers"},
        Kinds{"0b12", "invalid digit '2' in binary literal"},
        Kinds{"0xg", "invalid hexadecimal literal"}, Kinds{"1jj", "invalid imaginary literal"},
        Kinds{"a € b", "invalid character '€' (U+20AC)"},
        Kinds{"a\u00a0b", "invalid non-printable character U+00A0"},
        Kinds{"\xff", "source code is not valid UTF-8"},
        Kinds{"\xed\xa0\x80", "source code is not valid UTF-8"}, Kinds{"a ? b", "invalid syntax"}));

TEST(Tokenize, RefusesNulBytes) {
  EXPECT_EQ(kinds(std::string_view("a\0b", 3)), "source code string cannot contain null bytes");
}

TEST(Tokenize, GivesTheBytesOfEachToken) {
  std::string_view text = "x = f'{y}' # c\n";
  auto tokens = std::get<0>(tokenize(text));
  ASSERT_EQ(tokens.size(), 5u);
  EXPECT_EQ(text.substr(tokens[2].begin, tokens[2].end - tokens[2].begin), "f'{y}'");
  EXPECT_EQ(tokens[3].begin, text.size() - 1);
}

struct Wrong {
  std::string_view text;
  std::string_view message;
  std::size_t offset;
};

class ModuleErrors : public testing::TestWithParam<Wrong> {};

template <typename Parsed>
void expect_error(const Parsed& result, const Wrong& wanted) {
  const auto* error = std::get_if<SyntaxError>(&result);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->message, wanted.message);
  EXPECT_EQ(error->offset, wanted.offset);
}

TEST_P(ModuleErrors, AreWordedAsInCPython) {
  expect_error(parse_module(GetParam().text), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Statements, ModuleErrors,
    testing::Values(
        Wrong{"x = = 1", "invalid syntax", 4}, Wrong{"  x", "unexpected indent", 2},
        Wrong{"def f()\n  pass", "expected ':'", 7}, Wrong{"if x\n  y", "expected ':'", 4},
        Wrong{"\nif x:\ny", "expected an indented block after 'if' statement on line 2", 7},
        Wrong{"def f():\npass", "expected an indented block after function definition on line 1",
              9},
        Wrong{"for f() in x: y", "cannot assign to this", 4},
        Wrong{"if x = 1: y", "invalid syntax", 5}, Wrong{"print 'x'", "invalid syntax", 6}));

INSTANTIATE_TEST_SUITE_P(
    Escapes, ModuleErrors,
    testing::Values(Wrong{"x = 'a\\x4'",
                          "(unicode error) 'unicodeescape' codec can't decode bytes in position "
                          "1-3: truncated \\xXX escape",
                          6},
                    Wrong{"'\\U00110000'",
                          "(unicode error) 'unicodeescape' codec can't decode bytes in position "
                          "0-9: illegal Unicode character",
                          1},
                    Wrong{"'\\N{}'",
                          "(unicode error) 'unicodeescape' codec can't decode bytes in position "
                          "0-2: malformed \\N character escape",
                          1},
                    Wrong{"'\\N'",
                          "(unicode error) 'unicodeescape' codec can't decode bytes in position "
                          "0-1: malformed \\N character escape",
                          1},
                    Wrong{"b'\\x4'", "(value error) invalid \\x escape at position 0", 2},
                    Wrong{"b'\u00e9'", "bytes can only contain ASCII literal characters", 2}));

TEST(ParseModule, TakesNamedEscapes) {
  for (std::string_view text : {"'\\N{EM DASH}'", "f'\\N{EM DASH}{x}'", "b'\\N'", "r'\\N{'"}) {
    EXPECT_TRUE(std::holds_alternative<Module>(parse_module(text))) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, ModuleErrors,
    testing::Values(Wrong{"f(a b)", "invalid syntax. Perhaps you forgot a comma?", 4},
                    Wrong{"f(a=1, b)", "positional argument follows keyword argument", 7},
                    Wrong{"f(**a, b)", "positional argument follows keyword argument unpacking", 7},
                    Wrong{"f(a for a in b, c)", "Generator expression must be parenthesized", 2},
                    Wrong{"f(a.b=1)",
                          "expression cannot contain assignment, perhaps you meant \"==\"?", 2},
                    Wrong{"def f(a=1, b): x", "non-default argument follows default argument", 11},
                    Wrong{"def f(*): x", "named arguments must follow bare *", 7},
                    Wrong{"x = a if b", "expected 'else' after 'if' expression", 4},
                    Wrong{"x = (*a)", "cannot use starred expression here", 5},
                    Wrong{"[a, b for a in c]",
                          "did you forget parentheses around the comprehension target?", 6},
                    Wrong{"'a' b'b'", "cannot mix bytes and nonbytes literals", 0}));

TEST(ParseModule, CollectsFunctionsOfTheTopLevel) {
  std::string_view text =
      "import torch\n"
      "@a.b(1)\n"
      "def run(q, k: int = (1), /, *v: *T, w=[2, 3], **rest) -> dict:\n"
      "    def inner(x): pass\n"
      "    return q  # end\n"
      "\n"
      "async def f(*, a): pass\n"
      "class C:\n"
      "    def method(self): pass\n"
      "x = 1; y: int\n";
  Module module = std::get<Module>(parse_module(text));
  ASSERT_EQ(module.functions.size(), 2u);
  const Function& run = module.functions[0];
  EXPECT_EQ(run.name, "run");
  EXPECT_FALSE(run.is_async);
  EXPECT_EQ(text.substr(run.begin, 6), "@a.b(1");
  EXPECT_EQ(text.substr(run.def_begin, 7), "def run");
  EXPECT_EQ(text.substr(run.body_begin - 5, 6), "dict:\n");
  EXPECT_TRUE(text.substr(0, run.end).ends_with("return q  # end"));
  ASSERT_EQ(run.parameters.size(), 5u);
  EXPECT_EQ(run.parameters[1].annotation, "int");
  EXPECT_EQ(run.parameters[1].default_value, "(1)");
  EXPECT_EQ(run.parameters[2].kind, Parameter::Kind::var_positional);
  EXPECT_EQ(run.parameters[2].annotation, "*T");
  EXPECT_EQ(run.parameters[3].kind, Parameter::Kind::keyword_only);
  EXPECT_EQ(run.parameters[3].default_value, "[2, 3]");
  EXPECT_EQ(run.parameters[4].kind, Parameter::Kind::var_keyword);
  EXPECT_FALSE(run.parameters[0].has_default);
  EXPECT_TRUE(module.functions[1].is_async);
  EXPECT_EQ(text.substr(module.functions[1].def_begin, 9), "async def");
}

TEST(ParseModule, CollectsTheOtherStatements) {
  std::string_view text =
      "import a; from b import c\n@d\nclass C: pass\nif x:\n  import y\nelse:\n  z # w\n\nv = 1\n"
      "match v:\n  case 1: pass\nasync def f(): pass\nf(1)";
  Module module = std::get<Module>(parse_module(text));
  std::string found;
  for (const Statement& statement : module.statements) {
    found += statement.keyword + "|" +
             std::string(text.substr(statement.begin, statement.end - statement.begin)) + "\n";
  }
  EXPECT_EQ(
      found,
      "import|import a\nfrom|from b import c\nclass|@d\nclass C: pass\n"
      "if|if x:\n  import y\nelse:\n  z # w\n|v = 1\nmatch|match v:\n  case 1: pass\n|f(1)\n");
}

// Prints in bracketed prefix form: operator, then the operands.
std::string show(const Expression& e) {
  using enum Expression::Kind;
  if (e.kind == integer && e.text.empty()) return std::to_string(e.value);
  if (e.operands.empty()) return e.kind == other ? "other" : e.text;
  std::string out = e.kind == other ? "other" : e.kind == attribute ? "." + e.text : e.text;
  if (e.kind == call) out = "call";
  if (e.kind == subscript) out = "[]";
  if (e.kind == conditional) out = "if";
  for (const std::string& comparator : e.comparators) out += comparator + ",";
  for (const ExpressionPtr& operand : e.operands) out += " " + show(*operand);
  return "(" + out + ")";
}

struct Tree {
  std::string_view text;
  std::string_view expected;
};

class Trees : public testing::TestWithParam<Tree> {};

TEST_P(Trees, HaveThePrecedenceOfPython) {
  auto result = parse_expression(GetParam().text);
  if (auto* error = std::get_if<SyntaxError>(&result)) FAIL() << error->message;
  EXPECT_EQ(show(*std::get<0>(result)), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Values, Trees,
    testing::Values(Tree{"1 + 2 * 3", "(+ 1 (* 2 3))"}, Tree{"a - b - c", "(- (- a b) c)"},
                    Tree{"a ** b ** c", "(** a (** b c))"}, Tree{"-a ** -b", "(- (** a (- b)))"},
                    Tree{"(a + b) % c", "(% (+ a b) c)"},
                    Tree{"a | b ^ c & d << e", "(| a (^ b (& c (<< d e))))"},
                    Tree{"not a == b", "(not (==, a b))"}, Tree{"a < b <= c", "(<,<=, a b c)"},
                    Tree{"a not  in b is not c", "(not in,is not, a b c)"},
                    Tree{"a or b or c and d", "(or a b (and c d))"},
                    Tree{"a if b else c", "(if a b c)"},
                    Tree{"num == indptr[-1].item()", "(==, num (call (.item ([] indptr (- 1)))))"},
                    Tree{"f(a, b=c)", "(call f a c)"}, Tree{"x[1:2]", "([] x (other 1 2))"},
                    Tree{"0x_fF", "255"}, Tree{"1_000", "1000"}, Tree{"0b11 + 0o17", "(+ 3 15)"},
                    Tree{"9223372036854775808", "9223372036854775808"}, Tree{"1.5e3", "1.5e3"},
                    Tree{"'a' \"b\"", "'a' \"b\""}, Tree{"None", "None"}, Tree{"...", "..."},
                    Tree{"[a, *b]", "(other a (other b))"}, Tree{"lambda: a", "(other a)"},
                    Tree{"(a := b)", "(other a b)"}, Tree{"\na # c\n", "a"}));

TEST(ParseExpression, KeepsTheBytesOfEachPart) {
  std::string_view text = "(a + b) * c";
  ExpressionPtr root = std::get<0>(parse_expression(text));
  EXPECT_EQ(root->begin, 0u);
  EXPECT_EQ(root->end, text.size());
  const Expression& left = *root->operands[0];
  EXPECT_EQ(text.substr(left.begin, left.end - left.begin), "(a + b)");
}

class NoExpressions : public testing::TestWithParam<Wrong> {};

TEST_P(NoExpressions, AreRefused) { expect_error(parse_expression(GetParam().text), GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    EvalMode, NoExpressions,
    testing::Values(Wrong{"M >", "invalid syntax", 3}, Wrong{"a = 1", "invalid syntax", 2},
                    Wrong{"# c", "invalid syntax", 3}, Wrong{" M > 1", "unexpected indent", 1},
                    Wrong{"", "invalid syntax", 0}, Wrong{"a; b", "invalid syntax", 1},
                    Wrong{"a := 1", "invalid syntax", 2}, Wrong{"*a", "invalid syntax", 0},
                    Wrong{"a\nb", "invalid syntax", 2}, Wrong{"a\n  ", "unexpected indent", 4},
                    Wrong{"yield a", "invalid syntax", 0}));

std::string repeat(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

// Each of these would overflow the stack of a parser, or of a tree's destructor, without a bound.
TEST(Depth, IsBounded) {
  for (std::string text :
       {repeat("-", 100000) + "1", repeat("not ", 100000) + "1", repeat("lambda:", 100000) + "1",
        repeat("1**", 100000) + "1", repeat("1 if 1 else ", 100000) + "1",
        repeat("1+", 100000) + "1", "x" + repeat(".a", 100000), "x" + repeat("()", 100000),
        repeat("(", 201) + repeat(")", 201), repeat("[", 100000), repeat("{1:", 100000)}) {
    EXPECT_TRUE(std::holds_alternative<SyntaxError>(parse_expression(text))) << text.substr(0, 20);
    EXPECT_TRUE(std::holds_alternative<SyntaxError>(parse_module(text))) << text.substr(0, 20);
  }
}

TEST(Depth, AllowsWhatIsDeepButBounded) {
  for (std::string text : {repeat("-", 2000) + "1", repeat("1+", 2000) + "1",
                           repeat("(", 200) + "1" + repeat(")", 200), repeat("x<", 100000) + "1",
                           repeat("x or ", 100000) + "x"}) {
    EXPECT_TRUE(std::holds_alternative<ExpressionPtr>(parse_expression(text)))
        << text.substr(0, 20);
  }
  std::string blocks;
  for (int i = 0; i < 99; ++i) blocks += std::string(i, ' ') + "if 1:\n";
  EXPECT_TRUE(std::holds_alternative<Module>(parse_module(blocks + std::string(99, ' ') + "x")));
  EXPECT_TRUE(std::holds_alternative<SyntaxError>(
      parse_module(blocks + std::string(99, ' ') + "if 1:\n" + std::string(100, ' ') + "x")));
}

TEST(Expressions, PartsHaveTheirRoles) {
  const auto roles = [](const std::string& text) {
    return std::get<ExpressionPtr>(parse_expression(text));
  };
  using Roles = std::vector<std::string>;
  EXPECT_EQ(roles("f(a, b == c, dim=0, *d, e = 1)")->roles, (Roles{"", "", "", "dim", "", "e"}));
  EXPECT_EQ(roles("x[a:b:c]")->operands[1]->roles, (Roles{"lower", "upper", "step"}));
  EXPECT_EQ(roles("x[:b]")->operands[1]->roles, (Roles{"upper"}));
  EXPECT_EQ(roles("x[a:]")->operands[1]->roles, (Roles{"lower"}));
  EXPECT_EQ(roles("[x for a, b in c if d if e for f in g]")->roles,
            (Roles{"", "for", "in", "if", "if", "for", "in"}));
  EXPECT_EQ(roles("(a, b)")->form, Expression::Form::sequence);
  EXPECT_EQ(roles("x[a, b:c]")->operands[1]->form, Expression::Form::sequence);
  EXPECT_EQ(roles("{a: b}")->form, Expression::Form::none);
}

}  // namespace
}  // namespace kbench::python
