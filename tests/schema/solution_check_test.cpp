// Flags that a solution may and may not give the compiler.
#include "schema/solution_check.hpp"

#include <gtest/gtest.h>

#include "schema/read.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

std::vector<std::string> refused(const std::vector<std::string>& compile,
                                 const std::vector<std::string>& link = {},
                                 Language language = Language::cpp) {
  BuildSpec spec;
  spec.language = language;
  spec.compile_flags = compile;
  spec.link_flags = link;
  std::vector<std::string> pointers;
  for (const Finding& finding : check_flags(spec)) pointers.push_back(finding.pointer);
  return pointers;
}

using Pointers = std::vector<std::string>;

TEST(CompilerFlags, WhatMakesCodeIsAllowed) {
  EXPECT_EQ(refused({"-O3",
                     "-Ofast",
                     "-g",
                     "-fopenmp",
                     "-ffast-math",
                     "-march=native",
                     "-mavx2",
                     "-mprefer-vector-width=512",
                     "-funroll-loops",
                     "-std=c++20",
                     "-Wall",
                     "-Wno-unused",
                     "-DN=3",
                     "-DTEXT=\"a/b\"",
                     "-UNDEBUG",
                     "-pthread",
                     "-Iinclude",
                     "-I",
                     "include/deep",
                     "-isystem",
                     "third",
                     "-include",
                     "first.h",
                     "-fvisibility=hidden",
                     "-fno-math-errno",
                     "-w",
                     "-falign-functions=64"},
                    {"-fopenmp", "-lm", "-lopenblas", "-pthread", "-Wl,--as-needed,-z,now", "-s",
                     "-flto", "-static-libgcc", "-O2"}),
            Pointers{});
}

TEST(CompilerFlags, WhatRunsProgramsOrNamesOtherFilesIsNot) {
  const std::vector<std::string> bad = {"-fplugin=./x.so",
                                        "-fplugin-arg-x-y=1",
                                        "-wrapper",
                                        "-specs=mine",
                                        "--specs=mine",
                                        "@flags",
                                        "-B.",
                                        "-Xlinker",
                                        "-Wl,-T,x",
                                        "-Wp,-MD,/x",
                                        "-Wa,-I/x",
                                        "-I/etc",
                                        "-I../other",
                                        "-Ia/../../b",
                                        "-I=etc",
                                        "-include/etc/x",
                                        "-o",
                                        "/etc/passwd",
                                        "kernel.o",
                                        "-MD",
                                        "-fdump-tree-all",
                                        "-fprofile-use=/x",
                                        "-fopt-info=/x",
                                        "-save-temps",
                                        "--sysroot=/x",
                                        "-x",
                                        "-imacros",
                                        "-fuse-ld=/x",
                                        "-dumpbase",
                                        "-L/x",
                                        "-fmodule-mapper=|x",
                                        "-no-canonical-prefixes",
                                        "",
                                        "-",
                                        "-idirafter/x"};
  for (const std::string& flag : bad)
    EXPECT_EQ(refused({flag}), Pointers{"/compile_flags/0"}) << flag;
}

TEST(CompilerFlags, OfTheLinkerToo) {
  for (const std::string flag :
       {"-Wl,--version-script=/x", "-Wl,-rpath,/x", "-Wl,-plugin,x.so", "-Wl,@file", "-L/x", "-T",
        "-Xlinker", "-l/x", "-l../x", "/x.a", "-B/x", "-fplugin=x", "-wrapper", "-Wl,-z", "x.o",
        "-Wl,-Map=/x", "-o", "-static-pie=/x"}) {
    const bool ok = flag == "-Wl,-z";  // a flag without its value is the linker's to refuse
    EXPECT_EQ(refused({}, {flag}), ok ? Pointers{} : Pointers{"/link_flags/0"}) << flag;
  }
}

TEST(CompilerFlags, APathInAWordOfItsOwnIsTheOneThatIsNamed) {
  EXPECT_EQ(refused({"-O2", "-include", "/etc/passwd", "-I"}),
            (Pointers{"/compile_flags/2", "/compile_flags/3"}));
}

TEST(CompilerFlags, OfCudaAreNvccs) {
  const auto of_cuda = [](const std::vector<std::string>& flags) {
    return refused(flags, {}, Language::cuda).size();
  };
  EXPECT_EQ(of_cuda({"-O3", "--use_fast_math", "-use_fast_math", "-lineinfo",
                     "--expt-relaxed-constexpr", "--extended-lambda", "--maxrregcount=64",
                     "-Xptxas=-O3,-v,--warn-spills,-dlcm=ca", "-Xcompiler=-O3,-fopenmp,-Wall",
                     "-DN=3", "-std=c++20", "-Iinclude", "--fmad=false", "-rdc=true"}),
            0u);
  for (const char* const flag :
       {"-arch=sm_80", "-gencode=arch=compute_80,code=sm_80", "-ccbin=/bin/sh", "-march=native",
        "-Xcompiler=-fplugin=x.so", "-Xcompiler=-O3,-Wl,-z,now", "-Xcompiler", "-Xptxas=-o,/tmp/x",
        "-Xlinker=-rpath,/tmp", "--keep", "-odir=/tmp", "--options-file=x", "-I/usr/include",
        "--compiler-options=-fplugin=x.so", "-Xcompiler="})
    EXPECT_EQ(of_cuda({flag}), 1u) << flag;
}

}  // namespace

// Launches that are read, and those that are refused, with the place.

namespace {

std::string solution_with_spec(const std::string& spec, const std::string& more_sources = "") {
  return R"({"name": "s", "definition": "d", "author": "a", "spec": {"target_hardware": ["H100"],
"entry_point": "k.cu::scale<float>", )" +
         spec + R"(}, "sources": [{"path": "k.cu", "content": "x"})" + more_sources + "]}";
}

// Returns "1:2: message" for each problem.
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
