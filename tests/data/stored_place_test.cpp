#include <gtest/gtest.h>

#include "base/file.hpp"
#include "problem/data/generate.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

class StoredPlaces : public testing::Test {
 protected:
  void SetUp() override {
    write_file(top_.path() / "set" / "blob" / "in.safetensors", "text");
    write_file(top_.path() / "out.safetensors", "text");
    write_file(top_.path() / "set-beside" / "out.safetensors", "text");
  }
  fs::path root() const { return top_.path() / "set"; }
  bool may_be_read(std::string_view path) const {
    return stored_place(root(), path).problem.empty();
  }
  TempFolder top_;
};

TEST_F(StoredPlaces, FilesOfTheTraceSetMayBeRead) {
  EXPECT_TRUE(may_be_read("blob/in.safetensors"));
  EXPECT_TRUE(may_be_read("./blob/../blob/in.safetensors"));
  EXPECT_TRUE(may_be_read("blob/not_there.safetensors"));
  EXPECT_TRUE(may_be_read((root() / "blob" / "in.safetensors").string()));
  fs::create_symlink("in.safetensors", root() / "blob" / "link.safetensors");
  EXPECT_TRUE(may_be_read("blob/link.safetensors"));
}

TEST_F(StoredPlaces, TheTraceSetMayBeALinkItself) {
  fs::create_directory_symlink(root(), top_.path() / "link");
  EXPECT_EQ(stored_place(top_.path() / "link", "blob/in.safetensors").problem, "");
}

TEST_F(StoredPlaces, FilesOutsideMayNot) {
  EXPECT_FALSE(may_be_read("../out.safetensors"));
  EXPECT_FALSE(may_be_read("../set-beside/out.safetensors"));
  EXPECT_FALSE(may_be_read("blob/../../out.safetensors"));
  EXPECT_FALSE(may_be_read((top_.path() / "out.safetensors").string()));
  fs::create_symlink(top_.path() / "out.safetensors", root() / "link.safetensors");
  EXPECT_FALSE(may_be_read("link.safetensors"));
  fs::create_directory_symlink(top_.path(), root() / "folder");
  EXPECT_FALSE(may_be_read("folder/out.safetensors"));
}

}  // namespace
}  // namespace kbench
