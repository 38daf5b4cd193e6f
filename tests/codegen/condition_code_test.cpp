// Conditions as C++; that they mean the same there is tests/cli/codegen_conditions.
#include "kernels/codegen/condition_code.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

std::string code(const std::vector<std::string>& conditions) {
  return conditions_code(conditions, [](std::string_view name) -> std::string {
    if (name == "n") return "f[0]";
    if (name == "x.dtype") return "number(3)";
    return name == "BLOCK" ? "p[0]" : "";
  });
}

std::string returned(const std::string& text) {
  return "[]([[maybe_unused]] const Value* f, [[maybe_unused]] const Value* p) { return " + text +
         "; }";
}

TEST(ConditionCode, IsOfTheFunctionsOfTheHeader) {
  EXPECT_EQ(code({}), "nullptr");
  EXPECT_EQ(code({"n % BLOCK == 0"}),
            returned("are_known({f[0], p[0]}) && "
                     "is_true(chain({modulo(f[0], p[0]), number(0)}, {\"==\"}))"));
  EXPECT_EQ(code({"0 < n <= 4", "not BLOCK"}),
            returned("are_known({f[0]}) && is_true(chain({number(0), f[0], number(4)}, {\"<\", "
                     "\"<=\"})) && are_known({p[0]}) && is_true(negated(p[0]))"));
  EXPECT_EQ(code({"min(n, 2) or (n if True else ~n)"}),
            returned("are_known({f[0]}) && is_true(either({least({f[0], number(2)}), "
                     "selected(number(1), f[0], inverted(f[0]))}))"));
}

TEST(ConditionCode, KnowsWordsAndWhatHasNoValue) {
  EXPECT_EQ(code({"x.dtype == float32"}),
            returned("are_known({number(3)}) && is_true(chain({number(3), number(1)}, {\"==\"}))"));
  EXPECT_EQ(code({"cap > 99999999999999999999"}),
            returned("are_known({none()}) && is_true(chain({none(), none()}, {\">\"}))"));
}

}  // namespace
}  // namespace kbench
