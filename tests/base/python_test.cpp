#include "base/python.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

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
