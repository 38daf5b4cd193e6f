// Python's tokens, modules and expressions: every place that is named lies in the text.
#include "syntax/python.hpp"

#include "support.hpp"

using namespace kbench;
using namespace kbench::python;

namespace {

void check_tokens(const std::string& text) {
  const auto tokens = tokenize(text);
  if (const auto* error = std::get_if<SyntaxError>(&tokens)) {
    FUZZ_CHECK(error->offset <= text.size() && !error->message.empty());
    return;
  }
  std::size_t end = 0;
  for (const Token& token : std::get<std::vector<Token>>(tokens)) {
    FUZZ_CHECK(token.begin >= end && token.end >= token.begin && token.end <= text.size());
    end = token.end;
  }
}

void check_module(const std::string& text) {
  const auto module = parse_module(text);
  if (const auto* error = std::get_if<SyntaxError>(&module)) {
    FUZZ_CHECK(error->offset <= text.size() && !error->message.empty());
    return;
  }
  for (const Function& function : std::get<Module>(module).functions) {
    FUZZ_CHECK(function.begin <= function.def_begin && function.def_begin < function.body_begin);
    FUZZ_CHECK(function.body_begin <= function.end && function.end <= text.size());
  }
  for (const Statement& statement : std::get<Module>(module).statements)
    FUZZ_CHECK(statement.begin <= statement.end && statement.end <= text.size());
}

void check_expression(const Expression& expression, std::size_t size) {
  FUZZ_CHECK(expression.begin <= expression.end && expression.end <= size);
  FUZZ_CHECK(expression.kind != Expression::Kind::comparison ||
             expression.comparators.size() + 1 == expression.operands.size());
  for (const ExpressionPtr& operand : expression.operands) {
    FUZZ_CHECK(operand != nullptr);
    check_expression(*operand, size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::Input(data, size).rest();
  check_tokens(text);
  check_module(text);
  const auto expression = parse_expression(text);
  if (const auto* tree = std::get_if<ExpressionPtr>(&expression))
    check_expression(**tree, text.size());
  return 0;
}
