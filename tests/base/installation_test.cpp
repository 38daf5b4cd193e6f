#include "base/installation.hpp"

#include <gtest/gtest.h>

#include "base/cubins.hpp"
#include "base/file.hpp"
#include "base/python.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

TEST(Installation, LiesBelowThePrefixOfItsPrograms) {
  const Installation found = installation_of("/opt/kbench/bin/kbench");
  EXPECT_EQ(found.programs, "/opt/kbench/bin");
  EXPECT_EQ(found.plugins, "/opt/kbench/lib/kbench");
  EXPECT_EQ(found.headers, "/opt/kbench/share/kbench/include");
}

// A build folder has them, too.
TEST(Installation, HasTheHeadersOfCandidates) {
  EXPECT_TRUE(std::filesystem::exists(installation().headers / "kbench_ffi.h"));
}

TEST(Cubins, ComeBackAsTheyWere) {
  const std::string zeros(3, '\0');
  const std::string file = pack({{"sm_80", "\n\n" + zeros}, {"sm_90a", ""}, {"sm_90", "code"}});
  const auto back = unpack(file);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), 3u);
  EXPECT_EQ((*back)[0].code, "\n\n" + zeros);
  EXPECT_EQ((*back)[1].architecture, "sm_90a");
  EXPECT_EQ((*back)[2].code, "code");
}

TEST(Cubins, AreNoneInAnyOtherFile) {
  for (const char* const file : {"",
                                 "\x7f"
                                 "ELF",
                                 "sm_90 4\n\ncod", "sm_90 4\n\ncode ", "sm_90\n\n",
                                 "sm_90 x\n\ncode", "sm_90 99999999999999999999\n\n"})
    EXPECT_FALSE(unpack(file)) << file;
}

namespace fs = std::filesystem;

class PythonOf : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) ::unsetenv(name);
    ::setenv("PATH", (folder_.path() / "path").c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", "/usr/bin:/bin", 1); }

  fs::path program(const fs::path& where) {
    const fs::path path = folder_.path() / where;
    write_file(path, "a program");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  std::optional<Python> find(const fs::path& torch) {
    return find_python({folder_.path() / torch, "2.15.0"});
  }

  TempFolder folder_;
  static constexpr const char* torch_ = "venv/lib/python3.12/site-packages/torch";
};

TEST_F(PythonOf, IsThatOfTheEnvironmentLibTorchIsFrom) {
  program("path/python3");
  const fs::path own = program("venv/bin/python3");
  EXPECT_EQ(find(torch_)->program, own);
  const fs::path named = program("venv/bin/python3.12");
  EXPECT_EQ(find(torch_)->program, named);
}

TEST_F(PythonOf, ElseThatOfTheActiveEnvironmentThenOneInThePath) {
  EXPECT_FALSE(find(torch_));
  const fs::path in_path = program("path/python3");
  EXPECT_EQ(find(torch_)->program, in_path);
  const fs::path active = program("active/bin/python3");
  ::setenv("VIRTUAL_ENV", (folder_.path() / "active").c_str(), 1);
  EXPECT_EQ(find(torch_)->program, active);
  EXPECT_EQ(find("libtorch")->program, active);
}

TEST_F(PythonOf, OneOfAnotherMinorVersionHasNoUseForThePackage) {
  const fs::path other = program("usr/bin/python3.11");
  fs::create_directories(folder_.path() / "path");
  fs::create_symlink(other, folder_.path() / "path/python3");
  EXPECT_FALSE(find(torch_));
  EXPECT_EQ(find("libtorch")->program, folder_.path() / "path/python3");
}

TEST_F(PythonOf, ItsHeadersLieWhereTheEnvironmentWasMadeFrom) {
  program("venv/bin/python3");
  EXPECT_EQ(find(torch_)->headers, "");
  write_file(folder_.path() / "base/include/python3.12/Python.h", "");
  write_file(folder_.path() / "venv/pyvenv.cfg",
             "home = " + (folder_.path() / "base/bin").string() + "\nversion = 3.12.1\n");
  EXPECT_EQ(find(torch_)->headers, folder_.path() / "base/include/python3.12");
}

}  // namespace

}  // namespace kbench
