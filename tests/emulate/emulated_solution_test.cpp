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
  EXPECT_EQ(paths_of(out),
            (Strings{"src/main.cu", "a.cuh", "b.cpp", "notes.txt", "src/main.cu.cpp"}));
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
  EXPECT_TRUE(out.sources.back().content.ends_with("KBENCH_EMULATED_KERNEL(scale<float, 4>)\n"));
}

TEST(EmulatedSolution, WithBindingTorchTensorsAreKnown) {
  Solution solution = cuda({{"main.cu", "x.is_cuda();"}});
  solution.spec.binding = Binding::torch;
  Diagnostics problems;
  const Solution out = emulated_solution(solution, problems);
  EXPECT_EQ(out.sources.front().content, "x.is_cpu();");
  EXPECT_EQ(out.sources.back().path, "kbench_emulated_memory.cpp");
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
                        "-Xcompiler=-Wall,-fopenmp"};
  const Strings flags = emulation_flags(spec);
  for (const char* kept : {"-DA=1", "-UB", "-O3", "-std=gnu++20", "-I", "include", "-Wall",
                           "-fopenmp", "-DKBENCH_EMULATED_FAST_MATH"})
    EXPECT_TRUE(has(flags, kept)) << kept;
  for (const char* dropped : {"-use_fast_math", "-lineinfo", "-Xptxas=-v", "-maxrregcount=32"})
    EXPECT_FALSE(has(flags, dropped)) << dropped;
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
