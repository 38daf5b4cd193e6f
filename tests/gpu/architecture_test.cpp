#include "build/gpu/architecture.hpp"

#include <gtest/gtest.h>

namespace kbench::gpu {
namespace {

using Names = std::vector<std::string>;

TEST(NamesGpu, DevicesOfNvidiaAndCuda) {
  for (const char* const name : {"NVIDIA H100", "NVIDIA_A800", "sm_90", "cuda", "CUDA"})
    EXPECT_TRUE(names_gpu(Names{"cpu", name})) << name;
  for (const char* const name : {"cpu", "", "any", "AMD MI300X"})
    EXPECT_FALSE(names_gpu(Names{name})) << name;
}

TEST(Architecture, IsFoundByAnyOfItsNames) {
  for (const char* const name : {"sm_90", "90", "sm_90a"})
    EXPECT_EQ(find_architecture(name)->name, "sm_90") << name;
  EXPECT_EQ(find_architecture("sm_12"), nullptr);
  EXPECT_EQ(find_architecture(""), nullptr);
}

TEST(Architecture, FollowsFromTheNamesOfDevices) {
  EXPECT_EQ(architectures_of(Names{"NVIDIA H100 80GB HBM3"}), Names{"sm_90"});
  EXPECT_EQ(architectures_of(Names{"A800", "NVIDIA A100-SXM4-80GB", "B200"}),
            (Names{"sm_80", "sm_100"}));
  EXPECT_EQ(architectures_of(Names{"NVIDIA L40S", "L4"}), Names{"sm_89"});
  EXPECT_EQ(architectures_of(Names{"sm_90a"}), Names{"sm_90a"});
  EXPECT_EQ(architectures_of(Names{"cuda", "", "RXL40X"}), Names{});
}

// As NVIDIA's occupancy calculator has them.
TEST(Architecture, SaysHowManyThreadsFit) {
  const Architecture& h100 = *find_architecture("sm_90");
  const Architecture& ada = *find_architecture("sm_89");
  EXPECT_EQ(occupancy(h100, {32, 0}, 256), 1);
  EXPECT_EQ(occupancy(h100, {64, 0}, 256), 0.5);
  EXPECT_EQ(occupancy(h100, {255, 0}, 256), 0.125);
  EXPECT_EQ(occupancy(h100, {255, 0}, 512), 0);            // more registers than there are
  EXPECT_EQ(occupancy(h100, {16, 0}, 32), 0.5);            // 32 blocks of one warp
  EXPECT_EQ(occupancy(h100, {32, 100 << 10}, 256), 0.25);  // two blocks' shared memory
  EXPECT_EQ(occupancy(h100, {32, 228 << 10}, 256), 0);
  EXPECT_EQ(occupancy(ada, {32, 0}, 1024), 32.0 / 48);
  EXPECT_EQ(occupancy(ada, {40, 0}, 256), 1);
  EXPECT_EQ(occupancy(h100, {32, 0}, 0), 0);
  EXPECT_EQ(occupancy(h100, {32, 0}, 2048), 0);
}

TEST(Architecture, CodeRunsOnItsGenerationAndNoOlderDevice) {
  EXPECT_TRUE(runs_on("sm_80", "sm_80"));
  EXPECT_TRUE(runs_on("sm_80", "sm_89"));
  EXPECT_FALSE(runs_on("sm_89", "sm_86"));
  EXPECT_FALSE(runs_on("sm_80", "sm_90"));
  EXPECT_TRUE(runs_on("sm_90a", "sm_90"));
  EXPECT_TRUE(runs_on("sm_100", "sm_103"));
  EXPECT_TRUE(runs_on("sm_100f", "sm_103"));
  EXPECT_FALSE(runs_on("sm_100a", "sm_103"));
  EXPECT_FALSE(runs_on("sm_103", "sm_110"));
  EXPECT_FALSE(runs_on("sm_103", "sm_120"));
}

}  // namespace
}  // namespace kbench::gpu
