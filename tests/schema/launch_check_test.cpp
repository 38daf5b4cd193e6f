// Launches that are read, and those that are refused, with the place.
#include <gtest/gtest.h>

#include "schema/read.hpp"
#include "schema/solution_check.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

std::string solution_with_spec(const std::string& spec, const std::string& more_sources = "") {
  return R"({"name": "s", "definition": "d", "author": "a", "spec": {"target_hardware": ["H100"],
"entry_point": "k.cu::scale<float>", )" +
         spec + R"(}, "sources": [{"path": "k.cu", "content": "x"})" + more_sources + "]}";
}

// "1:2: message" of each problem.
std::vector<std::string> problems_of(const std::string& text) {
  Diagnostics diagnostics;
  read_text<Solution>({"s.json", text}, {}, diagnostics);
  std::vector<std::string> problems;
  for (const Diagnostic& one : diagnostics.items())
    problems.push_back(std::to_string(one.where.line) + ":" + std::to_string(one.where.column) +
                       ": " + one.message);
  return problems;
}

using Problems = std::vector<std::string>;
constexpr const char* sizes = R"("launch": {"grid": ["(M + 127) // 128", 2], "block": [128]})";

TEST(LaunchCheck, IsReadAndWrittenAsItWas) {
  const std::string launch =
      R"("launch": {"grid": ["(M + 127) // 128", 2], "block": [128], "shared_bytes": "4 * N",
"arguments": ["x", "M"]})";
  Diagnostics none;
  const auto solution = read_text<Solution>(
      {"s.json", solution_with_spec("\"language\": \"cuda\", " + launch)}, {}, none);
  ASSERT_TRUE(solution);
  const Launch& read = *solution->spec.launch;
  EXPECT_EQ(read.grid, (std::vector<LaunchSize>{"(M + 127) // 128", std::int64_t{2}}));
  EXPECT_EQ(entry_problem(*solution), "");
  const std::string text = to_json(solution->spec, Dump::set, -1);
  EXPECT_NE(text.find(R"("launch":{"grid":["(M + 127) // 128",2],"block":[128],)"
                      R"("shared_bytes":"4 * N","arguments":["x","M"]})"),
            std::string::npos)
      << text;
}

TEST(LaunchCheck, IsOfCudaAloneAndOfOneSource) {
  EXPECT_EQ(problems_of(solution_with_spec(std::string("\"language\": \"cpp\", ") + sizes)),
            Problems{"2:67: \"launch\" is of language cuda alone, and this is cpp"});
  EXPECT_EQ(problems_of(solution_with_spec(std::string("\"language\": \"cuda\", ") + sizes,
                                           R"(, {"path": "l.cu", "content": "x"})")),
            Problems{"2:166: a solution with \"launch\" has one source"});
  EXPECT_EQ(problems_of(solution_with_spec(
                std::string("\"language\": \"cuda\", \"binding\": \"torch\", "
                            "\"destination_passing_style\": false, \"link_flags\": [\"-lm\"], ") +
                sizes)),
            (Problems{"2:69: a solution with \"launch\" has no binding: kbench launches its kernel",
                      "2:107: a kernel returns nothing: a solution with \"launch\" writes to its "
                      "outputs",
                      "2:128: a solution with \"launch\" is not linked"}));
}

TEST(LaunchCheck, SaysWhatIsNoSize) {
  const auto of = [](const std::string& launch) {
    return problems_of(solution_with_spec("\"language\": \"cuda\",\n\"launch\": {" + launch + "}"));
  };
  EXPECT_EQ(of(R"("grid": ["M +"], "block": [0])"),
            (Problems{"3:25: expected a Python expression: invalid syntax",
                      "3:39: expected 1 to 1024, found 0"}));
  EXPECT_EQ(of(R"("grid": [1, 1, 1, 1], "block": [128], "shared_bytes": -1)"),
            (Problems{"3:30: a launch has x, y and z, and no more",
                      "3:66: expected 0 to 2147483647, found -1"}));
  EXPECT_EQ(
      of(R"("grid": [1, 65536], "block": [32, 32, 65])"),
      (Problems{"3:24: expected 0 to 65535, found 65536", "3:50: expected 1 to 64, found 65"}));
  EXPECT_EQ(of(R"("grid": [], "block": [{}])").size(), 2U);
  EXPECT_EQ(of(R"("grid": [1])").size(), 1U);
}

TEST(LaunchCheck, HasNoOtherKeys) {
  const auto of = [](const std::string& launch) {
    return problems_of(solution_with_spec("\"language\": \"cuda\", \"launch\": {" + launch + "}"));
  };
  EXPECT_EQ(of(R"("grid": [1], "block": [1], "smem": 4)"),
            Problems{"2:96: unknown key \"smem\" is ignored"});
  EXPECT_EQ(of(R"("grid": [1], "block": [true])"),
            Problems{"2:92: expected an integer or an expression, found true"});
}

TEST(LaunchCheck, FlagsAreThoseOfNvrtc) {
  BuildSpec spec;
  spec.language = Language::cuda;
  spec.launch.emplace();
  spec.compile_flags = {"-DN=3", "-use_fast_math", "-Xptxas=-O1", "-Xcompiler=-O3",
                        "-O2",   "--ftz=true"};
  std::vector<std::string> refused;
  for (const Finding& one : check_flags(spec)) refused.push_back(one.pointer);
  EXPECT_EQ(refused, (Problems{"/compile_flags/3", "/compile_flags/4"}));
}

}  // namespace
}  // namespace kbench
