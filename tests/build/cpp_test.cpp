#include "build/cpp.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"
#include "build/build_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

Solution adder(const std::string& body) {
  Solution solution;
  solution.name = "adder";
  solution.definition = "add";
  solution.author = "test";
  solution.spec.language = Language::cpp;
  solution.spec.entry_point = "src/kernel.cpp::run";
  solution.sources = {{"src/kernel.cpp", body}};
  return solution;
}

constexpr const char* good_cpp =
    "#include \"kbench_ffi.h\"\nvoid f(kbench::Tensor a, kbench::Tensor b) { b.data<float>()[0] = "
    "a.data<float>()[0]; }\n"
    "KBENCH_EXPORT(run, f)\n";

class BuildCpp : public BuildTest {};

TEST_F(BuildCpp, BuildsOnceAndThenFindsIt) {
  const BuildResult first = build_cpp(adder(good_cpp), toolchain_);
  ASSERT_TRUE(first.built) << first.cause << first.log;
  EXPECT_FALSE(first.from_cache);
  const BuildResult again = build_cpp(adder(good_cpp), toolchain_);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(first.library, again.library);
  begin_run("second");
  const BuildResult second = build_cpp(adder(good_cpp), toolchain_);
  EXPECT_TRUE(second.from_cache);
  EXPECT_NE(first.library, second.library);
  EXPECT_EQ(read_file(first.library), read_file(second.library));
}

TEST_F(BuildCpp, AnotherTextOrFlagIsAnotherLibrary) {
  const BuildResult plain = build_cpp(adder(good_cpp), toolchain_);
  EXPECT_NE(plain.library, build_cpp(adder(std::string(good_cpp) + "// v2\n"), toolchain_).library);
  Solution flagged = adder(good_cpp);
  flagged.spec.compile_flags = {"-O3"};
  EXPECT_NE(plain.library, build_cpp(flagged, toolchain_).library);
}

TEST_F(BuildCpp, ACompileErrorHasTheCompilersText) {
  const BuildResult result = build_cpp(adder("int broken("), toolchain_);
  EXPECT_FALSE(result.built);
  EXPECT_TRUE(result.cause.starts_with("BUILD_ERROR: src/kernel.cpp:1:")) << result.cause;
  EXPECT_NE(result.cause.find("error: "), std::string::npos) << result.cause;
  EXPECT_NE(result.log.find("src/kernel.cpp:1:"), std::string::npos) << result.log;
  EXPECT_FALSE(fs::exists(result.library));
}

// The cause is the linker's own reason, not that collect2 has failed or where the linker lies.
TEST_F(BuildCpp, ALinkErrorSaysWhy) {
  Solution solution = adder(good_cpp);
  solution.spec.link_flags = {"-lno_such_library"};
  EXPECT_TRUE(build_cpp(solution, toolchain_)
                  .cause.starts_with("BUILD_ERROR: cannot find -lno_such_library"))
      << build_cpp(solution, toolchain_).cause;
}

TEST_F(BuildCpp, AnUndefinedSymbolIsNamedWithoutPaths) {
  Solution solution =
      adder(std::string("void missing(int);\nvoid g() { missing(1); }\n") + good_cpp);
  solution.spec.link_flags = {"-Wl,--no-undefined"};
  EXPECT_EQ(build_cpp(solution, toolchain_).cause,
            "BUILD_ERROR: kernel.cpp: undefined reference to `missing(int)'");
  solution.spec.compile_flags = {"-g"};  // gives the linker the line
  EXPECT_EQ(build_cpp(solution, toolchain_).cause,
            "BUILD_ERROR: src/kernel.cpp:2: undefined reference to `missing(int)'");
}

TEST_F(BuildCpp, ASymbolDefinedTwiceIsNamedWithoutPaths) {
  Solution solution = adder(good_cpp);
  solution.sources.push_back({"src/other.cpp", "#include \"kernel.cpp\"\n"});
  const std::string cause = build_cpp(solution, toolchain_).cause;
  EXPECT_TRUE(cause.starts_with("BUILD_ERROR: other.cpp: multiple definition of `")) << cause;
  EXPECT_EQ(cause.find("/tmp"), std::string::npos) << cause;
}

TEST_F(BuildCpp, NothingIsLeftOfAFailedBuild) {
  const BuildResult result = build_cpp(adder("int broken("), toolchain_);
  EXPECT_FALSE(fs::exists(result.library.parent_path()));
  EXPECT_EQ(cache_.use().entries, 0U);
}

TEST_F(BuildCpp, AnEvictedLibraryStaysWithTheRunThatUsesIt) {
  const BuildResult result = build_cpp(adder(good_cpp), toolchain_);
  cache_.clear();
  EXPECT_TRUE(fs::exists(result.library));
}

TEST_F(BuildCpp, AsksTheCompilerForItsVersionOnce) {
  const std::string version = compiler_version(toolchain_);
  EXPECT_NE(version, "");
  EXPECT_EQ(cache_.use().entries, 1U);
  EXPECT_EQ(compiler_version(toolchain_), version);
  EXPECT_EQ(cache_.use().entries, 1U);
}

TEST_F(BuildCpp, ACompilerThatTakesTooLongIsStopped) {
  toolchain_.timeout_seconds = 0.01;
  const BuildResult result = build_cpp(adder(good_cpp), toolchain_);
  EXPECT_FALSE(result.built);
  EXPECT_NE(result.cause.find("took longer"), std::string::npos) << result.cause;
}

TEST_F(BuildCpp, WhatIsNoCompilerIsNotHeldAgainstASolution) {
  EXPECT_EQ(compiler_defect(toolchain_), "");
  for (const char* const program : {"/bin/true", "/bin/false"}) {
    toolchain_.compiler = program;
    EXPECT_THROW(build_cpp(adder(good_cpp), toolchain_), std::runtime_error) << program;
    EXPECT_NE(compiler_defect(toolchain_).find("cannot compile a function that does nothing"),
              std::string::npos);
  }
}

// The schema refuses such a name; one from elsewhere must not become an option either.
TEST_F(BuildCpp, ASourceIsNeverAnOption) {
  Solution solution = adder(good_cpp);
  solution.sources[0].path = "-specs=kernel.cpp";
  solution.spec.entry_point = "-specs=kernel.cpp::run";
  EXPECT_TRUE(build_cpp(solution, toolchain_).built);
  solution.sources[0].path = "@kernel.cpp";
  EXPECT_TRUE(build_cpp(solution, toolchain_).built);
}

TEST_F(BuildCpp, SaysWhenThereIsNoSource) {
  Solution solution = adder(good_cpp);
  solution.sources[0].path = "src/kernel.txt";
  EXPECT_EQ(build_cpp(solution, toolchain_).cause,
            "no source with a C++ extension (.cpp .cc .cxx .c)");
}

TEST_F(BuildCpp, AtLevelCAFileElsewhereIsRead) {  // shows that there is something to hold back
  write_file(folder_.path() / "answers" / "secret.h", "int secret = 1;\n");
  const std::string attack = "#include \"../../../../../answers/secret.h\"\n";
  EXPECT_TRUE(build_cpp(adder(attack + good_cpp), toolchain_).built);
}

class BuildAt : public BuildCpp, public testing::WithParamInterface<Isolation> {
 protected:
  void SetUp() override {
    if (const std::string& why = missing_for(GetParam()); !why.empty()) GTEST_SKIP() << why;
    BuildCpp::SetUp();
    toolchain_.isolation = GetParam();
    write_file(secret(), "int secret = 1;\n");
  }
  fs::path secret() const { return folder_.path() / "answers" / "secret.h"; }
};

TEST_P(BuildAt, AnHonestSolutionIsBuilt) {
  const BuildResult result = build_cpp(adder(good_cpp), toolchain_);
  EXPECT_TRUE(result.built) << result.log;
  EXPECT_TRUE(fs::exists(result.library));
}

TEST_P(BuildAt, NoFileElsewhereIsReadIntoIt) {
  const std::string path = secret().string();
  const std::string climbing = "../../../../answers/secret.h";  // path from the source's folder
  for (const std::string& attack : {
           "#include \"" + path + "\"\n",
           "#include \"../" + climbing + "\"\n",
           "asm(\".incbin \\\"" + path + "\\\"\");\n",
           "asm(\".include \\\"" + path + "\\\"\");\n",
           "#if !__has_include(\"" + path + "\")\n#error not there\n#endif\n",
           std::string("#include \"/etc/passwd\"\n"),
           std::string("asm(\".incbin \\\"/proc/self/environ\\\"\");\n"),
           std::string("asm(\".incbin \\\"/etc/hostname\\\"\");\n"),
       }) {
    const BuildResult result = build_cpp(adder(attack + good_cpp), toolchain_);
    EXPECT_FALSE(result.built) << attack;
    EXPECT_EQ(result.log.find("root:"), std::string::npos) << attack;
  }
}

// Builds with a program in the compiler's place that only runs `script`; $out is the library.
BuildResult built_by(const fs::path& folder, Toolchain& toolchain, const std::string& script) {
  const std::string honest = toolchain.compiler.string();
  toolchain.compiler = folder / "bin" / "compiler";
  write_file(toolchain.compiler,
             "#!/bin/sh\nfor one; do [ \"$before\" = -o ] && out=$one; before=$one; done\n"
             "case \"$*\" in *nothing.cpp*) exec " +
                 honest + " \"$@\";; esac\n" + script + "\n");
  fs::permissions(toolchain.compiler, fs::perms::all);
  return build_cpp(adder(good_cpp), toolchain);
}

TEST_P(BuildAt, NoLinkIsTakenForItsOutput) {
  fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::others_exec);
  const std::string file = secret().string();
  for (const std::string& script :
       {"ln -s " + file + " $out", std::string("mkdir $out"),
        std::string("mkfifo $out || ln -s /dev/zero $out"), std::string("echo > a; ln a $out")}) {
    Toolchain toolchain = toolchain_;
    const BuildResult result = built_by(folder_.path(), toolchain, script);
    EXPECT_FALSE(result.built) << script;
    EXPECT_EQ(result.cause, "BUILD_ERROR: the compiler wrote no library") << script << result.log;
  }
}

TEST_P(BuildAt, NothingThatItLeavesIsWrittenThrough) {
  fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::others_exec);
  const std::string file = secret().string();
  const BuildResult result = built_by(folder_.path(), toolchain_,
                                      "cd ..; rm -rf kept; mkdir kept; chmod 0300 kept\n"
                                      "for name in log solution.so.log kept/a; do ln -s " +
                                          file + " $name; done\necho text > $out");
  EXPECT_TRUE(result.built) << result.cause << result.log;
  EXPECT_EQ(read_file(secret()), "int secret = 1;\n");
  EXPECT_FALSE(fs::exists(result.library.parent_path() / "work"));
}

INSTANTIATE_TEST_SUITE_P(Levels, BuildAt,
                         testing::Values(Isolation::namespaces, Isolation::landlock),
                         [](const auto& info) { return std::string(letter(info.param)); });

TEST(Refusal, NamesLanguagesWithoutABuilder) {
  Solution solution = adder(good_cpp);
  EXPECT_EQ(refusal(solution, Toolchain()), "");
  solution.spec.binding = Binding::torch;
  EXPECT_EQ(refusal(solution, Toolchain()), "");
  solution.spec.language = Language::tilelang;
  EXPECT_EQ(refusal(solution, Toolchain()), "language tilelang has no builder in this version");
}

}  // namespace
}  // namespace kbench
