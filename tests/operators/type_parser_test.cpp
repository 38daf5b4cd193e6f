// Defaults of arguments: those that a type takes, and messages about others.
#include "kernels/operators/type_parser.hpp"

#include <gtest/gtest.h>

#include "kernels/operators/parse.hpp"

namespace kbench::ops {
namespace {

// Returns the argument as it is printed, or what is wrong with it.
std::string printed(const std::string& argument) {
  const ParsedSchema parsed = parse_schema("f(" + argument + ") -> Tensor");
  if (parsed.schema && parsed.flaws.empty()) return text(parsed.schema->positional.at(0));
  return parsed.flaws.empty() ? "" : parsed.flaws.front().message;
}

TEST(DefaultValue, OfEachKind) {
  for (const std::string argument : {"int k=1",
                                     "int k=-1",
                                     "SymInt k=0",
                                     "int reduction=Mean",
                                     "float x=1",
                                     "float x=1.5",
                                     "float x=1e-05",
                                     "float x=-inf",
                                     "bool b=True",
                                     "bool b=False",
                                     "Scalar s=1",
                                     "Scalar s=0.5",
                                     "Scalar s=True",
                                     "str s=\"none\"",
                                     "str s='none'",
                                     "str s=\"a, b\"",
                                     "ScalarType t=long",
                                     "MemoryFormat m=contiguous_format",
                                     "Device d=cpu",
                                     "int? k=None",
                                     "int? k=3",
                                     "Tensor? t=None",
                                     "str? s=None",
                                     "ScalarType? t=long",
                                     "int[] k=[]",
                                     "int[] k=[1,1]",
                                     "int[2] k=1",
                                     "int[2] k=[0,1]",
                                     "int[1]? k=None",
                                     "int[]? k=[1]",
                                     "bool[2] b=[True,False]",
                                     "float[] f=[0.5,1]",
                                     "str[] s=[\"a\",\"b\"]"})
    EXPECT_EQ(printed(argument), argument);
}

TEST(DefaultValue, OfAnotherTypeIsRefused) {
  struct Row {
    const char* argument;
    const char* message;
  };
  const Row rows[] = {
      {"int k=True", "'True' is no default of int"},
      {"int k=1.5", "'1.5' is no default of int"},
      {"int k=None", "None is no default of int, which is not optional"},
      {"int k=", "'' is no default of int"},
      {"float x=abc", "'abc' is no default of float"},
      {"bool b=1", "'1' is no default of bool"},
      {"bool b=true", "'true' is no default of bool"},
      {"str s=none", "'none' is no default of str"},
      {"Scalar s=\"1\"", "'\"1\"' is no default of Scalar"},
      {"Tensor t=1", "'1' is no default of Tensor"},
      {"Tensor t=None", "None is no default of Tensor, which is not optional"},
      {"int[] k=1", "Expected a list default '[...]' but found: '1'"},
      {"int[] k=[1,True]", "'[1,True]' is no default of int[]"},
      {"int[2] k=True", "'True' is no default of int[2]"},
      {"int[] k=None", "None is no default of int[], which is not optional"},
      {"bool[2] b=[1,1]", "'[1,1]' is no default of bool[2]"},
      {"int k=1=2", "illegal argument with default value: 'int k=1=2'"},
  };
  for (const Row& row : rows) EXPECT_EQ(printed(row.argument), row.message) << row.argument;
}

TEST(DefaultValue, BlanksInAListAreTakenAway) {
  const ParsedSchema parsed = parse_schema("f(int[] k=[1, 1]) -> Tensor");
  ASSERT_TRUE(parsed.schema);
  EXPECT_EQ(text(*parsed.schema), "f(int[] k=[1,1]) -> Tensor");
  ASSERT_EQ(parsed.flaws.size(), 1U);
  EXPECT_TRUE(parsed.flaws[0].is_blank);
}

}  // namespace
}  // namespace kbench::ops
