#include "cli/scaffold/solution.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/scaffold/cpp_arguments.hpp"
#include "cli/scaffold/template.hpp"
#include "schema/names.hpp"
#include "schema/read.hpp"
#include "schema/trace_set.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Returns what the compiler says of it; "" for nothing.
std::string compiled(const NewSolution& solution, const fs::path& folder) {
  for (const NewFile& file : solution.files) write_file(folder / file.path, file.text);
  const std::string command =
      "g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I " KBENCH_SOURCE_DIR
      "/include/kbench " +
      shell_quote((folder / solution.edit).string()) + " > " + (folder / "log").string() + " 2>&1";
  const int status = std::system(command.c_str());
  return (status == 0 ? "" : "failed: ") + read_file(folder / "log");
}

NewSolution make(std::string_view language, const Definition& definition) {
  for (const StarterLanguage& row : starter_languages())
    if (row.name == language) return row.make(definition, {"first", "me"});
  return {};
}

TEST(NewSolution, InCppCompilesForEveryDefinitionThatShips) {
  Diagnostics problems;
  const TraceSet set = load_trace_set(KBENCH_SOURCE_DIR, {false, false}, problems);
  ASSERT_GT(set.definitions.size(), 20U);
  for (const auto& stored : set.definitions) {
    const TempFolder folder;
    EXPECT_EQ(compiled(make("cpp", stored.record), folder.path()), "") << stored.path;
  }
}

TEST(NewSolution, InCppTakesNamesThatAreNoneInCpp) {
  const TempFolder folder;
  Definition definition{.name = "4-bit \"gemm\"\n#error", .op_type = "t"};
  definition.axes.items = {{"a", AxisVar{}}, {"N", AxisConst{.value = 8}}, {"x", AxisVar{}}};
  definition.inputs.items = {{"x", {{{"a", "N"}}, DType::float4_e2m1, "ends in \\"}},
                             {"double", {{{"x"}}, DType::boolean}},
                             {"run", {std::nullopt, DType::int32}},
                             {"new", {std::nullopt, DType::boolean}},
                             {"zero", {std::vector<std::string>{}, DType::float16}}};
  definition.outputs.items = {{"out", {std::nullopt, DType::float32, "one\nline"}}};
  definition.reference = "def run():\n  # a comment \\\n  # \r#error\r  # ?\?/\n  return 0 */";
  EXPECT_EQ(compiled(make("cpp", definition), folder.path()), "");
}

TEST(NewSolution, InCppIsRightForWhatAStarterDefines) {
  for (const Starter& starter : starters()) {
    const TempFolder folder;
    Definition definition = starter.definition();
    definition.name = "another";
    definition.axes.items.back().second = AxisConst{.value = 7};
    const NewSolution solution = make("cpp", definition);
    EXPECT_TRUE(solution.is_right) << starter.name;
    EXPECT_EQ(compiled(solution, folder.path()), "");
    definition.reference += "\n";
    EXPECT_FALSE(make("cpp", definition).is_right) << "its reference is another";
  }
}

TEST(NewSolution, IsRightInEveryLanguageForWhatAStarterDefines) {
  for (const Starter& starter : starters()) {
    Definition definition = starter.definition();
    for (const StarterLanguage& row : starter_languages()) {
      EXPECT_TRUE(make(row.name, definition).is_right) << row.name << " of " << starter.name;
    }
    definition.reference += "\n";
    for (const char* const language : {"torch", "cuda", "triton"})
      EXPECT_FALSE(make(language, definition).is_right) << language;
  }
}

TEST(NewSolution, SaysInItsFileHowItIsCompiled) {
  const NewSolution solution = make("torch", starters().front().definition());
  const std::string& record = solution.files.front().text;
  for (const char* const word :
       {"-march=native", "\"binding\": \"torch\"", "\"destination_passing_style\": false"})
    EXPECT_NE(record.find(word), std::string::npos) << record;
}

TEST(NewSolution, LiesWhereATraceSetLooksForIt) {
  const TempFolder folder;
  const Definition definition = starters().front().definition();
  const NewFile file = definition_file(definition);
  write_file(folder.path() / file.path, file.text);
  for (const StarterLanguage& row : starter_languages()) {
    const NewSolution solution = row.make(definition, {fmt::format("first_{}", row.name), "me"});
    for (const NewFile& one : solution.files) write_file(folder.path() / one.path, one.text);
  }
  Diagnostics problems;
  const TraceSet set = load_trace_set(folder.path(), {}, problems);
  EXPECT_TRUE(problems.empty()) << render(problems.items().front(), false);
  ASSERT_EQ(set.definitions.size(), 1U);
  EXPECT_EQ(set.solutions.size(), starter_languages().size());
}

TEST(Template, ANameWithoutAValueIsAnError) {
  EXPECT_THROW(filled("solution.cpp"), std::runtime_error);
}

TEST(CppHeader, ChecksWhatTheDefinitionSays) {
  const CppHeader header = cpp_header(find_starter("scale")->definition());
  EXPECT_EQ(header.parameters, "kbench::Tensor x, double factor, kbench::Tensor y");
  EXPECT_EQ(header.arguments, "x, factor, y");
  EXPECT_EQ(header.text, R"(// scale_d1024: Every element of a batch of rows times a factor.
// Made by kbench new solution, which makes it anew.
#pragma once

#include "kbench_ffi.h"

namespace scale_d1024 {

constexpr int64_t d = 1024;  // elements of a row

struct Arguments {
  int64_t batch;  // rows
  const float* x;  // [batch, d]: rows
  double factor;  // what every element is multiplied by
  float* y;  // [batch, d]: scaled rows
};

inline Arguments arguments(kbench::Tensor x, double factor, kbench::Tensor y) {
  Arguments a{};
  KBENCH_CHECK(x.ndim() == 2 && x.dtype() == kbench::DType({2, 32, 1}) && x.contiguous(),
               "x is to be float32, contiguous, of 2 axes");
  a.batch = x.size(0);
  KBENCH_CHECK(x.size(1) == d, "x is to be [batch, d]");
  a.x = x.data<const float>();
  a.factor = factor;
  KBENCH_CHECK(y.ndim() == 2 && y.dtype() == kbench::DType({2, 32, 1}) && y.contiguous(),
               "y is to be float32, contiguous, of 2 axes");
  KBENCH_CHECK(y.size(0) == a.batch && y.size(1) == d, "y is to be [batch, d]");
  a.y = y.data<float>();
  return a;
}

}  // namespace scale_d1024
)");
}

NewGradient one_residual() {
  NewGradient gradient;
  gradient.residuals["kept"] = {{{"batch"}}, DType::float32};
  return gradient;
}

TEST(NewGradient, CompilesForDefinitionsThatShip) {
  Diagnostics problems;
  const TraceSet set = load_trace_set(KBENCH_SOURCE_DIR, {false, false}, problems);
  ASSERT_GT(set.definitions.size(), 20U);
  for (std::size_t i = 0; i < set.definitions.size(); i += 5) {
    const TempFolder folder;
    const NewSolution solution = gradient_solution(set.definitions[i].record, {"first", "me"}, {});
    EXPECT_EQ(compiled(solution, folder.path()), "") << set.definitions[i].path;
  }
}

TEST(NewGradient, HasResidualsAndLeavesOutNondiff) {
  NewGradient gradient = one_residual();
  Definition definition = starters().front().definition();
  const NewSolution solution = gradient_solution(definition, {"first", "me"}, gradient);
  const TempFolder folder;
  EXPECT_EQ(compiled(solution, folder.path()), "");
  EXPECT_TRUE(solution.is_right);
  const std::string& sidecar = solution.files.back().text;
  EXPECT_NE(sidecar.find("- {name: kept, shape: [batch], dtype: float32}"), std::string::npos);
  const GradientHeader header = gradient_header(definition, gradient);
  EXPECT_NE(header.text.find("float* kept;  // [batch]"), std::string::npos) << header.text;
  EXPECT_NE(header.text.find("void backward_of(kbench::Tensor kept_, kbench::Tensor x_, double "
                             "factor, kbench::Tensor y_, kbench::Tensor d_y, kbench::Tensor d_x)"),
            std::string::npos)
      << header.text;
  gradient.nondiff = {"x"};
  EXPECT_EQ(gradient_header(definition, gradient).text.find("d_x"), std::string::npos);
}

// Trap of ej.md §5.2: ejkernel hands dy where y belongs, and nothing notices.
TEST(NewGradient, SwappedOutputsAndCotangentsDoNotCompile) {
  const auto with_call = [](const std::string& call) {
    NewSolution solution =
        gradient_solution(starters().front().definition(), {"first", "me"}, one_residual());
    for (NewFile& file : solution.files) {
      const std::size_t at = file.text.find("backward(kept, x, y, dy, dx);");
      if (at != std::string::npos)
        file.text.replace(at, std::string_view("backward(kept, x, y, dy, dx);").size(), call);
    }
    const TempFolder folder;
    return compiled(solution, folder.path());
  };
  EXPECT_EQ(with_call("backward(kept, x, y, dy, dx);"), "");
  EXPECT_NE(with_call("backward(kept, x, dy, y, dx);").find("OutputGradients"), std::string::npos);
  EXPECT_NE(with_call("backward(kept, dx, y, dy, x);").find("InputGradients"), std::string::npos);
  EXPECT_NE(with_call("backward(y, x, kept, dy, dx);").find("Residuals"), std::string::npos);
}

}  // namespace
}  // namespace kbench
