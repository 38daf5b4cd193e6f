#include "exec/registered_kernels.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

using namespace std::chrono_literals;

const std::string bin = KBENCH_BIN_DIR;

RegisteredKernels of(const std::string& library, std::chrono::milliseconds limit = 60s) {
  return registered_kernels(bin + "/kbench-worker", KBENCH_REGISTERING_DIR "/lib" + library + ".so",
                            limit);
}

TEST(RegisteredKernels, AreWhatTheLibrarySays) {
  const RegisteredKernels found = of("registering");
  EXPECT_EQ(found.problem, "");
  ASSERT_EQ(found.kernels.size(), 2U);
  EXPECT_EQ(found.kernels[0].op, "my::f");
  EXPECT_EQ(found.kernels[0].key, "");
  EXPECT_EQ(found.kernels[0].symbol, "");
  EXPECT_EQ(found.kernels[0].where, "a.yaml:3");
  EXPECT_EQ(found.kernels[1].op, "my::\\x1b[31mg");
  EXPECT_EQ(found.kernels[1].key, "v1/6;0");
  EXPECT_EQ(found.kernels[1].symbol, "my::native::g");
}

TEST(RegisteredKernels, OfALibraryThatIsNeverLoadedAreNotWaitedFor) {
  EXPECT_EQ(of("registering_hangs", 100ms).problem, "it is not loaded after 0.1 s");
}

TEST(RegisteredKernels, HaveAnEnd) {
  EXPECT_EQ(of("registering_endless").problem, "it says of more kernels than can be listed");
}

TEST(RegisteredKernels, AreText) {
  EXPECT_EQ(of("registering_no_text").problem, "what it registers is no text in UTF-8");
}

}  // namespace
}  // namespace kbench
