// Arguments that are written and results: the rows of et §2.2 that schema_test.cpp does not have,
// and what follows from them for kernels.
#include "kernels/operators/rules.hpp"

#include <gtest/gtest.h>

#include "kernels/operators/parse.hpp"

namespace kbench::ops {
namespace {

enum class For { pytorch, custom };

// Returns "column: message", one a line, of check_schema and check_for_kernel.
std::string rule_flaws_of(const std::string& text, For whom = For::custom) {
  const ParsedSchema parsed = parse_schema(text);
  std::string out;
  EXPECT_TRUE(parsed.schema) << text;
  if (!parsed.schema) return out;
  for (const auto& flaws :
       {check_schema(*parsed.schema), check_for_kernel(*parsed.schema, whom == For::custom)}) {
    for (const Flaw& flaw : flaws) out += std::to_string(flaw.at) + ": " + flaw.message + "\n";
  }
  return out;
}

struct RuleRow {
  const char* schema;
  const char* flaws;
};

TEST(Rules, OutputsAreReturnedInTheirOrder) {
  constexpr const char* head =
      ": Out arguments must have matching return Tensor; furthermore, the ith-argument needs to "
      "correspond to the ith return. ";
  const std::string elsewhere =
      ": All mutable returns must be aliased either to a keyword argument, or to \"self\". Did you "
      "forget to mark an out argument as keyword-only?\n";
  EXPECT_EQ(rule_flaws_of("f.out(Tensor x, *, Tensor(a!) out) -> Tensor(b!)"),
            std::string("38") + head + "arg.annotation=a!, ret.annotation=b!\n38" + elsewhere);
  EXPECT_EQ(
      rule_flaws_of("f.out(Tensor x, *, Tensor(a!) o, Tensor(b!) p) -> (Tensor(b!), Tensor(a!))"),
      std::string("51") + head + "arg.annotation=a!, ret.annotation=b!\n63" + head +
          "arg.annotation=b!, ret.annotation=a!\n");
  // A scratch argument in front of the outputs.
  EXPECT_EQ(
      rule_flaws_of("f.out(Tensor x, *, Tensor(b!) _scratch_t, Tensor(a!) out) -> Tensor(a!)"),
      std::string("61") + head + "arg.annotation=b!, ret.annotation=a!\n");
}

TEST(Rules, Returns) {
  const RuleRow rows[] = {
      {"f.out(Tensor x, *, Tensor(a!) o, Tensor(b!) p) -> (Tensor(a!), Tensor(b!))", ""},
      {"f(Tensor x) -> (Tensor, Tensor)", ""},
      {"f(Tensor x) -> int", "15: Can't handle this return type int\n"},
      {"f(Tensor x) -> Scalar", "15: Can't handle this return type Scalar\n"},
      {"f(Tensor x) -> Tensor[]", "15: Can't handle this return type Tensor[]\n"},
      {"f(Tensor x) -> (Tensor, bool)", "24: Can't handle this return type bool\n"},
      {"f(Tensor x) -> int?", "15: unrecognized return type int?\n"},
      {"f(Tensor x) -> Layout", "15: unrecognized return type Layout\n"},
      {"f(Tensor(a!) self) -> ()",
       "0: Can't handle native function f with no returns and no out yet.\n"},
      {"f(Tensor x, Tensor(a!) y) -> ()", ""},
      {"f(Tensor(a!) self) -> (Tensor(a!), Tensor)",
       "23: NativeFunctions must have either only mutable returns, or only immutable returns.\n"},
  };
  for (const RuleRow& row : rows) EXPECT_EQ(rule_flaws_of(row.schema), row.flaws) << row.schema;
}

TEST(Rules, PyTorchsOwnOperatorsMayReturnNumbers) {
  for (const char* type : {"bool", "int", "SymInt", "float", "Scalar"})
    EXPECT_EQ(rule_flaws_of(std::string("f(Tensor x) -> ") + type, For::pytorch), "");
  EXPECT_EQ(rule_flaws_of("f(Tensor x) -> str", For::pytorch),
            "15: Can't handle this return type str\n");
}

TEST(Rules, OperatorsInPlace) {
  const RuleRow rows[] = {
      {"f_(Tensor(a!) self) -> Tensor(a!)", ""},
      {"__iadd__(Tensor(a!) self, Scalar x) -> Tensor(a!)", ""},
      {"f_(Tensor(a!)[] self) -> ()", ""},
      {"f_(Tensor self) -> Tensor",
       "0: Inplace op f_ must have a self argument with a mutable annotation\n"},
      {"f_(Tensor(a!) self) -> ()", "0: Inplace op f_ with Tensor self must return self\n"},
      {"f_(Tensor(a!) self, *, Tensor(b!) out) -> Tensor(b!)",
       "23: A schema cannot be both out= and inplace\n"
       "42: Inplace op f_ with Tensor self must return self\n"},
  };
  for (const RuleRow& row : rows) EXPECT_EQ(rule_flaws_of(row.schema), row.flaws) << row.schema;
}

TEST(Rules, WhatIsWrittenComesBehindSelf) {
  EXPECT_EQ(rule_flaws_of("f(Tensor(a!) x, Tensor self) -> Tensor"),
            "2: mutable pre_self_positional arguments are not currently supported in the schema\n");
  EXPECT_EQ(rule_flaws_of("f.out(Tensor x, Tensor(b!) cache, *, Tensor(a!) out) -> Tensor(a!)"),
            "");
}

TEST(Rules, KindsOfSchemas) {
  const auto kind = [](const std::string& text) { return kind_of(*parse_schema(text).schema); };
  EXPECT_EQ(kind("f(Tensor x) -> Tensor"), SchemaKind::functional);
  EXPECT_EQ(kind("f_(Tensor(a!) self) -> Tensor(a!)"), SchemaKind::in_place);
  EXPECT_EQ(kind("f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"), SchemaKind::out);
  EXPECT_EQ(kind("f(Tensor x, Tensor(a!) y) -> ()"), SchemaKind::mutates);
}

}  // namespace
}  // namespace kbench::ops
