#include "emulate/emulated_solution.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kbench {
namespace {

using Strings = std::vector<std::string>;

Solution cuda(std::vector<SourceFile> sources) {
  Solution solution;
  solution.spec.language = Language::cuda;
  solution.spec.entry_point = "main.cu::run";
  solution.sources = std::move(sources);
  return solution;
}

Strings paths_of(const Solution& solution) {
  Strings paths;
  for (const SourceFile& source : solution.sources) paths.push_back(source.path);
  return paths;
}

bool has(const Strings& flags, const std::string& flag) {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

TEST(EmulatedSolution, EachCudaSourceIsCompiledByAFileBesideIt) {
  Diagnostics problems;
  const Solution out = emulated_solution(cuda({{"src/main.cu", "f<<<1, 1>>>(x);"},
                                               {"a.cuh", "f<<<1, 1>>>();"},
                                               {"b.cpp", "int b;"},
                                               {"notes.txt", "f<<<"}}),
                                         problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(out.spec.language, Language::cpp);
  EXPECT_EQ(paths_of(out), (Strings{"src/main.cu", "a.cuh", "b.cpp", "notes.txt", "src/main.cu.cpp",
                                    "kbench_emulated_closed.h"}));
  EXPECT_EQ(out.sources[0].content, "KBENCH_EMULATED_LAUNCH((f), (1, 1), x);");
  EXPECT_EQ(out.sources[1].content, "KBENCH_EMULATED_LAUNCH((f), (1, 1));");
  EXPECT_EQ(out.sources[3].content, "f<<<");
  const std::string& unit = out.sources[4].content;
  EXPECT_TRUE(unit.starts_with("#define KBENCH_EMULATED_ARCH 900\n")) << unit;
  EXPECT_TRUE(unit.ends_with("#include \"main.cu\"\n")) << unit;
}

TEST(EmulatedSolution, AKernelByItselfIsExported) {
  Solution solution = cuda({{"main.cu", ""}});
  solution.spec.entry_point = "main.cu::scale<float, 4>";
  solution.spec.launch = Launch{};
  Diagnostics problems;
  const Solution out = emulated_solution(solution, problems);
  const std::string& unit = out.sources[1].content;
  EXPECT_TRUE(unit.ends_with("KBENCH_EMULATED_KERNEL(scale<float, 4>)\n")) << unit;
}

TEST(EmulatedSolution, WithBindingTorchTensorsAreKnown) {
  Solution solution = cuda({{"main.cu", "x.is_cuda();"}});
  solution.spec.binding = Binding::torch;
  Diagnostics problems;
  const Solution out = emulated_solution(solution, problems);
  EXPECT_EQ(out.sources.front().content, "x.is_cpu();");
  EXPECT_NE(out.sources.back().content.find("#include <kbench_emulated_memory.h>\n"),
            std::string::npos);
  EXPECT_TRUE(has(*out.spec.compile_flags, "-std=gnu++20"));
}

TEST(EmulatedSolution, KeepsTheFlagsThatCppHas) {
  BuildSpec spec;
  spec.compile_flags = {"-DA=1",
                        "-UB",
                        "-O3",
                        "-std=c++20",
                        "-I",
                        "include",
                        "-use_fast_math",
                        "-lineinfo",
                        "-Xptxas=-v",
                        "-maxrregcount=32",
                        "-Xcompiler=-Wall,-fopenmp,-flto,-fno-sanitize=thread"};
  const Strings flags = emulation_flags(spec);
  for (const char* kept : {"-DA=1", "-UB", "-O3", "-std=gnu++20", "-idirafter", "include", "-Wall",
                           "-fopenmp", "-DKBENCH_EMULATED_FAST_MATH"})
    EXPECT_TRUE(has(flags, kept)) << kept;
  for (const char* dropped : {"-flto", "-fno-sanitize=thread", "-use_fast_math", "-lineinfo",
                              "-Xptxas=-v", "-maxrregcount=32"})
    EXPECT_FALSE(has(flags, dropped)) << dropped;
}

// Macros stand before its own headers, and after the closed names, which none may have either.
TEST(EmulatedSolution, MacrosOfFlagsStandInTheFirstHeader) {
  Solution solution = cuda({{"main.cu", ""}});
  solution.spec.compile_flags = {"-DA", "-DB(x)=x == 1", "-DC=\\", "-O3"};
  solution.spec.link_flags = {"-lcudart", "-flto=auto", "-lm"};
  Diagnostics problems;
  const Solution out = emulated_solution(solution, problems);
  const std::string& header = out.sources.back().content;
  EXPECT_TRUE(header.ends_with("#define A 1\n\n#define B(x) x == 1\n\n#define C \\\n\n"));
  EXPECT_LT(header.find(" no_sanitize "), header.find("#define A"));
  EXPECT_FALSE(has(*out.spec.compile_flags, "-DA"));
  EXPECT_TRUE(has(*out.spec.compile_flags, "-O3"));
  EXPECT_EQ(*out.spec.link_flags, Strings{"-lm"});
}

TEST(EmulatedSolution, ReportsPlacesOfTheSource) {
  Diagnostics problems;
  emulated_solution(cuda({{"sub/a.cuh", "\n  f<<<1;"}}), problems);
  ASSERT_EQ(problems.items().size(), 1U);
  EXPECT_EQ(problems.items()[0].where.file, "sub/a.cuh");
  EXPECT_EQ(problems.items()[0].where.line, 2);
}

}  // namespace
}  // namespace kbench
