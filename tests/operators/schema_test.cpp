// The schemas that torchgen takes and those that it refuses, with its words. Source: torchgen of
// PyTorch 2.15, and ExecuTorch's codegen on top of it.
#include "operators/schema.hpp"

#include <gtest/gtest.h>

#include "operators/parse.hpp"
#include "operators/rules.hpp"

namespace kbench::ops {
namespace {

// All that is wrong with a custom operator's schema, a line each: "column: message".
std::string flaws_of(const std::string& text) {
  const ParsedSchema parsed = parse_schema(text);
  std::vector<Flaw> flaws = parsed.flaws;
  if (parsed.schema) {
    for (const auto& more : {check_schema(*parsed.schema), check_for_kernel(*parsed.schema, true)})
      flaws.insert(flaws.end(), more.begin(), more.end());
  }
  std::string out;
  for (const Flaw& flaw : flaws)
    out += std::to_string(flaw.at) + ": " + (flaw.level == Level::warning ? "warning: " : "") +
           flaw.message + "\n";
  return out;
}

TEST(Schema, PrintsWhatItReads) {
  for (const std::string text :
       {"f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
        "f.out(Tensor x, *, Tensor(a!) dst) -> Tensor(a!)",
        "f.out(Tensor x, *, Tensor(a!) o1, Tensor(b!) o2) -> (Tensor(a!), Tensor(b!))",
        "f.out(Tensor x, *, Tensor(a!)[] out) -> ()",
        "f.out(Tensor x, Tensor(b!) cache, *, Tensor(a!) out) -> Tensor(a!)",
        "f.out(Tensor x, *, Tensor(a!) out, Tensor(b!) _scratch_x) -> Tensor(a!)",
        "copy_(Tensor(a!) self, Tensor src) -> Tensor(a!)", "f(Tensor x) -> Tensor",
        "f(Tensor x) -> (Tensor, Tensor)", "ns::f(Tensor x) -> (Tensor values, Tensor indices)",
        "f() -> Tensor",
        "__and__.out(Tensor self, Scalar other=1, *, Tensor(a!) out) -> Tensor(a!)",
        "f.out(Tensor? a, Tensor[] b, Tensor?[] c, int[2] d=1, int[]? e=None, *, Tensor(a!) out) "
        "-> Tensor(a!)",
        "f.out(str s=\"a, b\", int[] k=[1,1], float x=1e-05, *, Tensor(a!) out) -> Tensor(a!)"}) {
    EXPECT_EQ(flaws_of(text), "") << text;
    const ParsedSchema parsed = parse_schema(text);
    ASSERT_TRUE(parsed.schema) << text;
    EXPECT_EQ(ops::text(*parsed.schema), text);
  }
}

struct Case {
  std::string schema;
  std::string flaws;
};

TEST(Schema, RefusesWithTorchgensWordsAtTheColumn) {
  const Case cases[] = {
      // ExecuTorch's documentation has it, though torchgen does not.
      {"f.out(Tensor x, *, Tensor(a!) out) -> ()", ""},
      {"f.out(Tensor x, *, Tensor(a!)[] out) -> Tensor(a!)[]",
       "40: out= ops that accept tensor lists as out arguments are expected to have no return type "
       "(since you can't do method chaining on them)\n40: Can't handle this return type "
       "Tensor[]\n"},
      {"f.out(Tensor x, *, Tensor(a!) o1, Tensor(b!) o2) -> Tensor(a!)",
       "52: Must return as many arguments as there are out arguments, or no return at all. Got 2 "
       "non-scratch out args and 1 returns\n"},
      {"f.out(Tensor x, *, Tensor(a!) out) -> Tensor",
       "38: Out arguments must have matching return Tensor; furthermore, the ith-argument needs to "
       "correspond to the ith return. arg.annotation=a!, ret.annotation=None\n"},
      {"f.out(Tensor x, Tensor(a!) out) -> Tensor(a!)",
       "16: If you have a schema with mutable positional args, we expect them to not be returned.\n"
       "35: All mutable returns must be aliased either to a keyword argument, or to \"self\". Did "
       "you forget to mark an out argument as keyword-only?\n"},
      {"f.out(Tensor x, *, Tensor(a!) out, int k) -> Tensor(a!)",
       "35: non-mutable argument 'k' cannot follow mutable out arguments\n"},
      {"f.out(Tensor x, *, Tensor out) -> Tensor",
       "19: warning: 'out' is not written: the operator is taken for one that returns a new "
       "tensor\n"},
      {"f.out(Tensor x, *, Tensor(a!) o1, Tensor(a!) o2) -> (Tensor(a!), Tensor(a!))",
       "34: 'o2' is written under the same letter as an argument before it\n"},
      {"f.out(Tensor x, *, Tensor(a!) out, *) -> Tensor(a!)",
       "35: invalid syntax: kwarg-only specifier * can only occur once\n"},
  };
  for (const Case& one : cases) EXPECT_EQ(flaws_of(one.schema), one.flaws) << one.schema;
}

TEST(Schema, RefusesTypesAndNamesWithTorchgensWords) {
  const Case cases[] = {
      {"f_(Tensor x) -> Tensor",
       "0: Inplace op f_ must have a self argument with a mutable annotation\n"},
      {"f(Tensor x) -> ()", "0: Can't handle native function f with no returns and no out yet.\n"},
      {"f(Tensor x) -> bool", "15: Can't handle this return type bool\n"},
      {"f(Tensor x) -> Tensor?", "15: unrecognized return type Tensor?\n"},
      {"f.out(double x, *, Tensor(a!) out) -> Tensor(a!)", "6: unrecognized type double\n"},
      {"f.out(bool[] x, *, Tensor(a!) out) -> Tensor(a!)", "6: bool ListType must have a size\n"},
      {"f.out(int[] k=1, *, Tensor(a!) out) -> Tensor(a!)",
       "14: Expected a list default '[...]' but found: '1'\n"},
      {"f.out(Layout k, *, Tensor(a!) out) -> Tensor(a!)",
       "6: no kernel can be given the type Layout\n"},
      {"f.out(Tensor from, *, Tensor(a!) out) -> Tensor(a!)",
       "6: Argument name 'from' in function 'f.out' is a reserved Python keyword.\n"},
      {"f_out(Tensor x) -> Tensor",
       "0: _out suffix is reserved and not permitted for operator names; did you mean to specify "
       "an "
       "out overload name instead?\n"},
      {"a::b::f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
       "0: Codegen doesn't support more than 1 level(s) of custom namespace. Got a::b.\n"},
      {"f.out(Tensor x, *, Tensor(a!) out)",
       "34: Invalid function schema: f.out(Tensor x, *, Tensor(a!) out)\n"},
      {"f.out(Tensor, *, Tensor(a!) out) -> Tensor(a!)", "6: illegal argument 'Tensor'\n"},
      {"f.out(Tensor(ab) x, *, Tensor(a!) out) -> Tensor(a!)",
       "13: unrecognized alias annotation ab\n"},
      {"f.functional(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
       "0: Found an operator that is not functional, but its overload contains the string "
       "'functional'. This is a special keyword in the codegen, please use a different overload "
       "name.\n"},
      {"f.out(Tensor x, Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
       "16: two arguments are called 'x'\n"},
  };
  for (const Case& one : cases) EXPECT_EQ(flaws_of(one.schema), one.flaws) << one.schema;
}

TEST(Schema, BlanksOtherThanTheCanonicalOnesAreSaid) {
  const ParsedSchema parsed = parse_schema("f.out( Tensor x,*, Tensor(a!)  out )->Tensor(a!)");
  ASSERT_TRUE(parsed.schema);
  EXPECT_EQ(text(*parsed.schema), "f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_EQ(parsed.flaws.size(), 5U);
  for (const Flaw& flaw : parsed.flaws) EXPECT_TRUE(flaw.is_blank);
}

}  // namespace
}  // namespace kbench::ops
