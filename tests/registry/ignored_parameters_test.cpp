// Which parameters a function does not read.
#include "kernels/registry/ignored_parameters.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace kbench {
namespace {

Definition two_scalars() {
  Definition one;
  one.axes["n"] = AxisVar{};
  one.inputs["x"] = {.shape = std::vector<std::string>{"n"}, .dtype = DType::float32};
  one.inputs["window"] = {.shape = std::nullopt, .dtype = DType::int32};
  one.inputs["cap"] = {.shape = std::nullopt, .dtype = DType::float32};
  one.outputs["y"] = {.shape = std::vector<std::string>{"n"}, .dtype = DType::float32};
  return one;
}

std::string ignored(Language language, const std::string& file, const std::string& text) {
  Solution solution;
  solution.spec.language = language;
  solution.spec.entry_point = file + "::run";
  solution.sources = {{file, text}};
  std::vector<std::string> out;
  for (const IgnoredParameter& one : ignored_parameters(solution, two_scalars()))
    out.push_back(one.input + " (" + one.how + ")" +
                  (one.default_value ? " = " + *one.default_value : ""));
  return join(out, ", ");
}

std::string deleted_in_python(const std::string& head, const std::string& body) {
  return ignored(Language::python, "main.py",
                 "def run(x, " + head + "):\n    " + body + "\n    return x\n");
}

TEST(IgnoredParameters, OfPythonAreThoseThatAreDeletedUnread) {
  EXPECT_EQ(deleted_in_python("w=-1, c=0.0", "del w, c"), "window (del w) = -1, cap (del c) = 0");
  EXPECT_EQ(deleted_in_python("w, c=0.5", "del w; del c"), "window (del w), cap (del c)");
  EXPECT_EQ(deleted_in_python("w=False, c=None", "pass"), "");
  EXPECT_EQ(deleted_in_python("w=1, c=2", "x = x + w\n    del w"), "");
  EXPECT_EQ(deleted_in_python("w=1, c=2", "if c:\n        del w"), "");
  EXPECT_EQ(deleted_in_python("w=1, c=2", "del w\n    print(f'{w}')"), "");
  EXPECT_EQ(deleted_in_python("w=1, c=2", "del w\n    locals()"), "");
  EXPECT_EQ(deleted_in_python("w=1, c=2", "# w\n    del w  # no longer"), "window (del w) = 1");
}

std::string unread_in_cpp(const std::string& parameters, const std::string& body,
                          const std::string& before = "") {
  return ignored(Language::cpp, "k.cpp",
                 before + "void f(kbench::Tensor x, " + parameters + ", kbench::Tensor y) {" +
                     body + "}\nKBENCH_EXPORT(run, f)\n");
}

TEST(IgnoredParameters, OfCppHaveNoNameOrNoWordOfIt) {
  EXPECT_EQ(unread_in_cpp("int64_t, double cap", "g(x, cap);"), "window (it has no name)");
  EXPECT_EQ(unread_in_cpp("[[maybe_unused]] int64_t w, double c", "g(x, c);"),
            "window (no word of the body is w)");
  EXPECT_EQ(unread_in_cpp("int64_t w, double c", "g(x, w, c);"), "");
  EXPECT_EQ(unread_in_cpp("int64_t w, double c", "G; g(x, c);", "#define G (void)w\n"), "");
  EXPECT_EQ(unread_in_cpp("int64_t w, double c", "\n#if A\ng(w);\n#endif\ng(x, c);"), "");
}

}  // namespace
}  // namespace kbench
