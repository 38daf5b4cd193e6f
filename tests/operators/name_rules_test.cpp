// Names of operators, and of the arguments and results in their schemas.
#include "kernels/operators/name_rules.hpp"

#include <gtest/gtest.h>

#include "kernels/operators/parse.hpp"
#include "kernels/operators/rules.hpp"

namespace kbench::ops {
namespace {

// "column: message", "" for a name that can be used.
std::string problem(const std::string& name) {
  std::vector<Flaw> flaws;
  check_name({name, 0}, flaws);
  return flaws.empty() ? "" : std::to_string(flaws[0].at) + ": " + flaws[0].message;
}

TEST(NameRules, NamesThatCanBeUsed) {
  for (const std::string name :
       {"add", "add_", "add.out", "add.Scalar_out", "aten::add.out", "my_ns::_f", "__and__",
        "__iadd__", "__ilshift__.Scalar", "random.from", "max_pool2d.2_4", "F.out"})
    EXPECT_EQ(problem(name), "") << name;
}

TEST(NameRules, NamesThatCannot) {
  struct Row {
    const char* name;
    const char* problem;
  };
  const Row rows[] = {
      {"", "0: operator name cannot be empty"},
      {".out", "0: operator name cannot be empty"},
      {"a-b", "0: \"a-b\" is no name of an operator"},
      {"2add", "0: \"2add\" is no name of an operator"},
      {"ns::a b", "4: \"a b\" is no name of an operator"},
      {"add.", "4: \"\" is no name of an overload"},
      {"add.a.b", "4: \"a.b\" is no name of an overload"},
      {"1ns::add", "0: \"1ns\" is no name of a namespace"},
      {"::add", "0: \"\" is no name of a namespace"},
      {"a::b::add",
       "0: Codegen doesn't support more than 1 level(s) of custom namespace. Got a::b."},
      {"__ifoo__", "0: unexpected dunder method starting with 'i': __ifoo__"},
      {"ns::add_out",
       "4: _out suffix is reserved and not permitted for operator names; did you mean to specify "
       "an out overload name instead?"},
  };
  for (const Row& row : rows) EXPECT_EQ(problem(row.name), row.problem) << row.name;
}

TEST(NameRules, InPlaceIsSaidByTheName) {
  EXPECT_TRUE(operator_name("add_").is_in_place());
  EXPECT_TRUE(operator_name("__iadd__.Tensor").is_in_place());
  EXPECT_FALSE(operator_name("__add__").is_in_place());
  EXPECT_FALSE(operator_name("add.out_").is_in_place());
}

TEST(NameRules, KeywordsOfBothLanguages) {
  for (const char* word : {"from", "lambda", "None", "class"}) EXPECT_TRUE(is_python_keyword(word));
  for (const char* word : {"self", "none", "delete"}) EXPECT_FALSE(is_python_keyword(word));
  for (const char* word : {"delete", "xor_eq", "co_await", "class", "NULL", "errno", "__LINE__"})
    EXPECT_TRUE(is_taken_in_cpp(word));
  for (const char* word : {"from", "self", "Delete"}) EXPECT_FALSE(is_taken_in_cpp(word));
}

TEST(NameRules, PythonsKeywordsAreRefusedInCustomOperatorsAlone) {
  const ParsedSchema parsed =
      parse_schema("random.from(Tensor self, int from, *, Tensor(a!) out) -> Tensor(a!)");
  ASSERT_TRUE(parsed.schema);
  EXPECT_TRUE(check_for_kernel(*parsed.schema, false).empty());
  ASSERT_EQ(check_for_kernel(*parsed.schema, true).size(), 1U);
  EXPECT_EQ(check_for_kernel(*parsed.schema, true)[0].at, 25U);
}

TEST(NameRules, PartsOfAName) {
  const OperatorName name = operator_name("ns::add.Scalar_out");
  EXPECT_EQ(name.name_space, "ns");
  EXPECT_EQ(name.base, "add");
  EXPECT_EQ(name.overload, "Scalar_out");
  EXPECT_EQ(full_name(name), "ns::add.Scalar_out");
  EXPECT_EQ(full_name(operator_name("relu")), "aten::relu");
  EXPECT_EQ(text_without_namespace(name), "add.Scalar_out");
}

}  // namespace
}  // namespace kbench::ops
