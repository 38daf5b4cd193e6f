#include "build/cpp.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"

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

constexpr const char* good =
    "#include \"kbench_ffi.h\"\nvoid f(kbench::Tensor a, kbench::Tensor b) { b.data<float>()[0] = "
    "a.data<float>()[0]; }\n"
    "KBENCH_EXPORT(run, f)\n";

class BuildCpp : public testing::Test {
 protected:
  Toolchain toolchain_ = system_toolchain();
  void SetUp() override {
    toolchain_.cache =
        fs::temp_directory_path() / ("kbench-build-test-" + std::to_string(::getpid()));
  }
  void TearDown() override { fs::remove_all(toolchain_.cache); }
};

TEST_F(BuildCpp, BuildsOnceAndThenFindsIt) {
  const BuildResult first = build_cpp(adder(good), toolchain_);
  ASSERT_TRUE(first.built) << first.cause << first.log;
  EXPECT_FALSE(first.from_cache);
  const BuildResult second = build_cpp(adder(good), toolchain_);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.library, second.library);
}

TEST_F(BuildCpp, AnotherTextOrFlagIsAnotherLibrary) {
  const BuildResult plain = build_cpp(adder(good), toolchain_);
  EXPECT_NE(plain.library, build_cpp(adder(std::string(good) + "// v2\n"), toolchain_).library);
  Solution flagged = adder(good);
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

TEST_F(BuildCpp, NothingIsLeftOfAFailedBuild) {
  build_cpp(adder("int broken("), toolchain_);
  for (const auto& entry : fs::directory_iterator(toolchain_.cache / "build"))
    EXPECT_EQ(entry.path().extension(), ".lock");
}

TEST_F(BuildCpp, WhatABuilderThatDiedLeftIsRemoved) {
  const fs::path entry = build_cpp(adder(good), toolchain_).library.parent_path();
  fs::remove_all(entry);
  fs::path left = entry;
  left += ".a1B2c3";
  fs::create_directories(left / "src");
  EXPECT_TRUE(build_cpp(adder(good), toolchain_).built);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(BuildCpp, ACompilerThatTakesTooLongIsStopped) {
  toolchain_.timeout_seconds = 0.01;
  const BuildResult result = build_cpp(adder(good), toolchain_);
  EXPECT_FALSE(result.built);
  EXPECT_NE(result.cause.find("took longer"), std::string::npos) << result.cause;
}

TEST_F(BuildCpp, SaysWhenThereIsNoSource) {
  Solution solution = adder(good);
  solution.sources[0].path = "src/kernel.txt";
  EXPECT_EQ(build_cpp(solution, toolchain_).cause,
            "no source with a C++ extension (.cpp .cc .cxx .c)");
}

TEST(Refusal, NamesLanguagesAndBindingsWithoutABuilder) {
  Solution solution = adder(good);
  EXPECT_EQ(refusal(solution), "");
  solution.spec.binding = Binding::torch;
  EXPECT_EQ(refusal(solution), "binding torch is not supported in this version");
  solution.spec.language = Language::tilelang;
  EXPECT_EQ(refusal(solution), "language tilelang has no builder in this version");
}

}  // namespace
}  // namespace kbench
