#include "worker/kernel_listing.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/file.hpp"

namespace kbench::worker {
namespace {

// The file of the C library that this program runs with.
std::string c_library() {
  Dl_info where;
  return ::dladdr(reinterpret_cast<const void*>(&std::puts), &where) != 0
             ? read_file(where.dli_fname)
             : "";
}

TEST(ElfSymbols, AreThoseThatALibraryShows) {
  const auto symbols = dynamic_symbols(c_library());
  const auto found = std::find_if(symbols.begin(), symbols.end(),
                                  [](const ElfSymbol& one) { return one.name == "puts"; });
  ASSERT_NE(found, symbols.end());
  EXPECT_TRUE(found->is_defined);
  EXPECT_GT(symbols.size(), 1000U);
}

TEST(ElfSymbols, OfWhatIsNoElfAreNone) {
  EXPECT_TRUE(dynamic_symbols("").empty());
  EXPECT_TRUE(dynamic_symbols("\x7f"
                              "ELF")
                  .empty());
  EXPECT_TRUE(dynamic_symbols(std::string(4096, 'x')).empty());
}

TEST(ElfSymbols, OfABrokenFileAreReadAsFarAsTheyGo) {
  std::string file = c_library();
  dynamic_symbols(std::string_view(file).substr(0, file.size() / 2));
  // The number of sections and where they are, all bits set.
  for (const std::size_t at : {0x28, 0x3c}) {
    std::string broken = file;
    broken.replace(at, 2, "\xff\xff");
    dynamic_symbols(broken);
    broken.replace(at, 8, std::string(8, '\xff'));
    dynamic_symbols(broken);
  }
}

}  // namespace
}  // namespace kbench::worker
