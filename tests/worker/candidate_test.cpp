#include "worker/candidate.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <limits>

#include "base/file.hpp"
#include "worker/kernel_listing.hpp"
#include "worker/processor.hpp"

namespace kbench::worker {
namespace {

TEST(LoadError, NamesTheSymbolFirstAndNoPath) {
  EXPECT_EQ(load_error("/tmp/a/solution.so: undefined symbol: _Z7missingi", "/tmp/a/solution.so"),
            "undefined symbol missing(int)");
  EXPECT_EQ(load_error("/tmp/a/solution.so: undefined symbol: cblas_sgemm", "/tmp/a/solution.so"),
            "undefined symbol cblas_sgemm");
}

TEST(LoadError, OfAnExtensionModuleIsTheSame) {
  EXPECT_EQ(load_error("ImportError: /tmp/a/solution.so: undefined symbol: _Z7missingi", "/tmp/a"),
            "undefined symbol missing(int)");
}

TEST(LoadError, LeavesASymbolsVersionOut) {
  EXPECT_EQ(load_error("/a.so: undefined symbol: f, version LIB_1", "/a.so"), "undefined symbol f");
}

TEST(LoadError, KeepsWhatElseIsSaid) {
  EXPECT_EQ(load_error("libx.so.1: cannot open shared object file: No such file or directory",
                       "/tmp/a/solution.so"),
            "libx.so.1: cannot open shared object file: No such file or directory");
  EXPECT_EQ(load_error("/tmp/a/solution.so: invalid ELF header", "/tmp/a/solution.so"),
            "invalid ELF header");
}

TEST(ArithmeticMode, IsWhatProgramsStartWith) {
  volatile float third = 1;
  std::fesetround(FE_UPWARD);
  const float up = third / 3;
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // subnormals are zero
#endif
  volatile float small = std::numeric_limits<float>::min();
  reset_arithmetic_mode();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_GT(small / 4, 0);
  EXPECT_EQ(third / 3, 1.0F / 3);
  EXPECT_GE(up, third / 3);
}

// Returns the file of the C library that this program runs with.
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
