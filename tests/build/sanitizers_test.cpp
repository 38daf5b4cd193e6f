#include "build/sanitizers.hpp"

#include <gtest/gtest.h>

#include "build/builder.hpp"

namespace kbench {
namespace {

TEST(Sanitizers, AListNamesEachOnce) {
  const auto all = parse_sanitizers("synccheck,undefined,memcheck");
  ASSERT_TRUE(all);
  EXPECT_EQ(name_of(*all), "undefined,memcheck,synccheck");
  for (const char* const wrong : {"", ",", "memcheck,", "memcheck,memcheck", "thread", "Memcheck"})
    EXPECT_FALSE(parse_sanitizers(wrong)) << wrong;
}

TEST(Sanitizers, EachIsForOneLanguage) {
  const Sanitizers both = *parse_sanitizers("address,racecheck");
  EXPECT_EQ(name_of(of_language(both, Language::cpp)), "address");
  EXPECT_EQ(name_of(of_language(both, Language::cuda)), "racecheck");
  EXPECT_FALSE(of_language(both, Language::triton).any());
}

TEST(Sanitizers, OfTheGpuChangeNoFlags) {
  EXPECT_TRUE(sanitizer_flags(*parse_sanitizers("memcheck,synccheck")).empty());
  EXPECT_EQ(sanitizer_flags(*parse_sanitizers("address,memcheck")).front(), "-fsanitize=address");
}

TEST(Sanitizers, OfTheGpuNeedTheirProgram) {
  Toolchain toolchain;
  EXPECT_EQ(gpu_sanitizers_unavailable(toolchain), "");
  toolchain.sanitizers = *parse_sanitizers("address");
  EXPECT_EQ(gpu_sanitizers_unavailable(toolchain), "");
  toolchain.sanitizers = *parse_sanitizers("initcheck");
  EXPECT_NE(gpu_sanitizers_unavailable(toolchain).find("nvidia-cuda-sanitizer-api"),
            std::string::npos);
  toolchain.cuda.compute_sanitizer = "/usr/local/cuda/bin/compute-sanitizer";
  EXPECT_EQ(gpu_sanitizers_unavailable(toolchain), "");
}

}  // namespace
}  // namespace kbench
