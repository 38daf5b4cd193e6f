// Flags that a solution may and may not give the compiler.
#include <gtest/gtest.h>

#include "schema/solution_check.hpp"

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
}  // namespace kbench
