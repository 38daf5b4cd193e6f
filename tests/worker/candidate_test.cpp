#include "worker/candidate.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kbench::worker
