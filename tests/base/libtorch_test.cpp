#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/python.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* version_header = "include/torch/headeronly/version.h";
constexpr const char* header_text =
    "#define TORCH_VERSION_MAJOR 2\n\n#define TORCH_VERSION_MINOR 15\n#define TORCH_VERSION_PATCH "
    "1\n";

class LibTorchIn : public ::testing::Test {
 protected:
  fs::path make(const fs::path& where, const char* header = version_header) {
    const fs::path folder = folder_.path() / where;
    write_file(folder / "lib/libtorch_cpu.so", "");
    if (header != nullptr) write_file(folder / header, header_text);
    return fs::canonical(folder);
  }
  std::optional<LibTorch> find(const fs::path& where) {
    return libtorch_in(folder_.path() / where);
  }

  TempFolder folder_;
};

TEST_F(LibTorchIn, FindsItInEachKindOfPlace) {
  const fs::path torch = make("venv/lib/python3.12/site-packages/torch");
  for (const char* place :
       {"venv", "venv/lib/python3.12/site-packages", "venv/lib/python3.12/site-packages/torch"}) {
    const auto found = find(place);
    ASSERT_TRUE(found) << place;
    EXPECT_EQ(found->folder, torch) << place;
    EXPECT_EQ(found->version, "2.15.1") << place;
  }
  EXPECT_FALSE(find("venv/lib"));
  EXPECT_FALSE(find("nowhere"));
}

TEST_F(LibTorchIn, KnowsWhereOlderOnesKeepTheirVersion) {
  make("torch", "include/torch/csrc/api/include/torch/version.h");
  EXPECT_EQ(find("torch")->version, "2.15.1");
}

TEST_F(LibTorchIn, WithoutHeadersItsVersionIsUnknown) {
  make("torch", nullptr);
  EXPECT_EQ(find("torch")->version, "");
}

TEST_F(LibTorchIn, LinksAreFollowed) {
  const fs::path torch = make("real");
  fs::create_directory_symlink(torch, folder_.path() / "link");
  EXPECT_EQ(find("link")->folder, torch);
}

TEST(LibTorchProblem, IsNoneForEachPatchOfAMinorVersionThatWasBuiltFor) {
  for (const char* version : {"2.13.0", "2.15.0", "2.15.7"})
    EXPECT_EQ(libtorch_problem(LibTorch{"/opt/torch", version}, {"2.13", "2.15"}, ""), "")
        << version;
  EXPECT_NE(libtorch_problem(LibTorch{"/opt/torch", "2.14.0"}, {"2.13", "2.15"}, ""), "");
}

TEST(LibTorchProblem, SaysOfWhatVersionItIsAndWhichThereAre) {
  const std::string other =
      libtorch_problem(LibTorch{"/opt/torch", "2.11.0"}, {"2.13", "2.15"}, "");
  EXPECT_NE(other.find("built for LibTorch 2.13 or 2.15, and /opt/torch is 2.11.0"), other.npos)
      << other;
  const std::string unknown = libtorch_problem(LibTorch{"/opt/torch", ""}, {"2.15"}, "");
  EXPECT_NE(unknown.find("/opt/torch is of an unknown version"), unknown.npos) << unknown;
}

TEST(LibTorchProblem, SaysWhatIsMissing) {
  const std::string none = libtorch_problem(std::nullopt, {"2.15"}, "");
  EXPECT_NE(none.find("install torch 2.15 into kbench's own environment"), none.npos) << none;
  const std::string given = libtorch_problem(std::nullopt, {"2.15"}, "/x");
  EXPECT_NE(given.find("KBENCH_TORCH is \"/x\""), given.npos) << given;
  EXPECT_EQ(libtorch_problem(std::nullopt, {}, ""), "kbench was built without LibTorch");
}

}  // namespace
}  // namespace kbench
