#include "scaffold/solution.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.hpp"
#include "base/text.hpp"
#include "scaffold/cpp_header.hpp"
#include "scaffold/starters.hpp"
#include "schema/names.hpp"
#include "schema/read.hpp"
#include "schema/trace_set.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// What the compiler says of it; "" for nothing.
std::string compiled(const NewSolution& solution, const fs::path& folder) {
  for (const NewFile& file : solution.files) write_file(folder / file.path, file.text);
  const std::string command =
      "g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I " KBENCH_SOURCE_DIR "/src/candidate " +
      shell_quote((folder / solution.edit).string()) + " > " + (folder / "log").string() + " 2>&1";
  const int status = std::system(command.c_str());
  return (status == 0 ? "" : "failed: ") + read_file(folder / "log");
}

NewSolution make(Language language, const Definition& definition) {
  for (const StarterLanguage& row : starter_languages())
    if (row.language == language) return row.make(definition, {"first", "me"});
  return {};
}

TEST(NewSolution, InCppCompilesForEveryDefinitionThatShips) {
  Diagnostics problems;
  const TraceSet set = load_trace_set(KBENCH_SOURCE_DIR, {false, false}, problems);
  ASSERT_GT(set.definitions.size(), 20U);
  for (const auto& stored : set.definitions) {
    const TempFolder folder;
    EXPECT_EQ(compiled(make(Language::cpp, stored.record), folder.path()), "") << stored.path;
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
  definition.reference = "def run():\n  # a comment \\\n  return 0 */";
  EXPECT_EQ(compiled(make(Language::cpp, definition), folder.path()), "");
}

TEST(NewSolution, InCppIsRightForWhatAStarterDefines) {
  for (const Starter& starter : starters()) {
    const TempFolder folder;
    Definition definition = starter.definition();
    definition.name = "another";
    definition.axes.items.back().second = AxisConst{.value = 7};
    const NewSolution solution = make(Language::cpp, definition);
    EXPECT_TRUE(solution.is_right) << starter.name;
    EXPECT_EQ(compiled(solution, folder.path()), "");
    definition.reference += "\n";
    EXPECT_FALSE(make(Language::cpp, definition).is_right) << "its reference is another";
  }
}

TEST(NewSolution, LiesWhereATraceSetLooksForIt) {
  const TempFolder folder;
  const Definition definition = starters().front().definition();
  const NewFile file = definition_file(definition);
  write_file(folder.path() / file.path, file.text);
  for (const StarterLanguage& row : starter_languages()) {
    const NewSolution solution =
        row.make(definition, {fmt::format("first_{}", name_of(row.language)), "me"});
    for (const NewFile& one : solution.files) write_file(folder.path() / one.path, one.text);
  }
  Diagnostics problems;
  const TraceSet set = load_trace_set(folder.path(), {}, problems);
  EXPECT_TRUE(problems.empty()) << render(problems.items().front(), false);
  ASSERT_EQ(set.definitions.size(), 1U);
  EXPECT_EQ(set.solutions.size(), starter_languages().size());
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

}  // namespace
}  // namespace kbench
