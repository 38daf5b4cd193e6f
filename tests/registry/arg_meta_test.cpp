// The tensors of a call, as the command line names them.
#include "kernels/registry/arg_meta.hpp"

#include <gtest/gtest.h>

#include "kernels/operators/parse.hpp"

namespace kbench {
namespace {

const ops::Schema& schema() {
  static const ops::Schema one =
      *ops::parse_schema(
           "ns::f.out(Tensor x, Tensor? y, int k, Tensor[] z, *, Tensor(a!) out) -> Tensor(a!)")
           .schema;
  return one;
}

// The key, or what is wrong.
std::string key_or_flaw(const std::string& text) {
  std::string why;
  const auto key = parse_meta(text, schema(), why);
  return key ? key_text(*key) : why;
}

TEST(MetaText, InAnyOrderWithBlanksAndNamesOfEitherKind) {
  EXPECT_EQ(key_or_flaw("x=Float[0,1],y=Half[0],z=Long[1,0],out=Double[]"),
            "v1/6;0,1|5;0|4;1,0|7;");
  EXPECT_EQ(key_or_flaw(" out=Double[], z = int64[1,0] ,x=float32[0,1],y=float16[0]"),
            "v1/6;0,1|5;0|4;1,0|7;");
}

TEST(MetaText, WhatIsNotGivenAndWhatIsOpen) {
  EXPECT_EQ(key_or_flaw("x=Float[0],z=Long[0],out=Float[0]"), "v1/6;0|-|4;0|6;0");
  EXPECT_EQ(key_or_flaw("x=Float[0],y=None,z=None,out=Float[0]"), "v1/6;0|-|-|6;0");
  EXPECT_EQ(key_or_flaw("x=Float[*],y=*[0,1],z=Long[0],out=*[*]"), "v1/6;*|*;0,1|4;0|*");
}

TEST(MetaText, AKeyIsTakenAsItIs) {
  EXPECT_EQ(key_or_flaw("v1/6;0|-|4;0|6;0"), "v1/6;0|-|4;0|6;0");
  EXPECT_EQ(key_or_flaw("v1/6;0|-|4;0|6;0|6;0"), "v1/6;0|-|4;0|6;0|6;0");  // the output twice
  EXPECT_EQ(key_or_flaw("v1/6;0,x"), "\"x\" is no dimension");
  EXPECT_EQ(key_or_flaw("v1/99;0|-|4;0|6;0"), "99 is the number of no dtype");
  EXPECT_EQ(key_or_flaw("v1/6;0,0|-|4;0|6;0"), "[0,0] is not a permutation of 0 to 1");
  EXPECT_EQ(key_or_flaw("v1/6;0|6;0"), "ns::f.out has 4 tensors, the key 2");
}

TEST(MetaText, MistakesAreSaid) {
  struct Row {
    const char* text;
    const char* why;
  };
  const Row rows[] = {
      {"", "nothing is said of the tensor x: it has x, y, z, out"},
      {"k=Float[0]", "ns::f.out has no tensor \"k\": its tensors are x, y, z, out"},
      {"x", "ns::f.out has no tensor \"x\": its tensors are x, y, z, out"},
      {"x=Float", "\"Float\" has no dim order behind the dtype, as in Float[0,1]"},
      {"x=Float[0", "\"Float[0\" has no ] behind its dim order"},
      {"x=Float[0,z=Float[0]", "\"Float[0\" has no ] behind its dim order"},
      {"x=Float[0];z=Float[0]",
       "\";z=Float[0]\" stands behind a tensor, where a comma parts it from the next"},
      {"x=Flaot[0]", "unknown dtype \"Flaot\"; did you mean \"Float\"?"},
      {"x=Float[0,0]", "[0,0] is not a permutation of 0 to 1"},
      {"x=Float[a]", "\"a\" is no dimension"},
      {"x=Float[0],x=Float[0]", "the tensor x is given twice"},
      {"x=Float[0],out=Float[0]", "nothing is said of the tensor z: it has x, y, z, out"},
  };
  for (const Row& row : rows) EXPECT_EQ(key_or_flaw(row.text), row.why) << row.text;
}

}  // namespace
}  // namespace kbench
