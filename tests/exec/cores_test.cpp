#include "exec/cores.hpp"

#include <gtest/gtest.h>

#include "exec/registered_kernels.hpp"

namespace kbench {
namespace {

using Cores = std::vector<int>;

TEST(Cores, AreReadAsTheKernelWritesThem) {
  EXPECT_EQ(parse_cores("0-2,5,7-8"), (Cores{0, 1, 2, 5, 7, 8}));
  EXPECT_EQ(parse_cores("3"), Cores{3});
  EXPECT_EQ(parse_cores(""), Cores{});
  EXPECT_EQ(parse_cores("x"), Cores{});
}

TEST(Cores, TheFirstIsTheJudges) {
  const CoreSplit split = split_cores({2, 3, 4}, {2}, 2);
  EXPECT_EQ(split.judge, 2);
  EXPECT_EQ(split.worker, (Cores{3, 4}));
}

TEST(Cores, TheWorkerHasAsManyAsThreads) {
  EXPECT_EQ(split_cores({0, 1, 2, 3}, {0}, 2).worker, (Cores{1, 2}));
}

TEST(Cores, AreSharedInEqualParts) {
  EXPECT_EQ(core_shares({0, 1, 2, 3, 4}, 2), (std::vector<Cores>{{0, 1}, {2, 3}}));
  EXPECT_EQ(core_shares({7}, 1), (std::vector<Cores>{{7}}));
  EXPECT_EQ(core_shares({7}, 2), (std::vector<Cores>{{}, {}}));  // empty: all cores
}

TEST(Cores, OneIsNotDivided) { EXPECT_FALSE(split_cores({0}, {0}, 1).is_pinned()); }

TEST(Cores, AsManyThreadsAsCoresLeaveNoneForTheJudge) {
  EXPECT_FALSE(split_cores({0, 1}, {0}, 2).is_pinned());
  EXPECT_TRUE(split_cores({0, 1}, {0}, 2).worker.empty());
}

TEST(Cores, TheSiblingOfTheJudgesIsNobodysWhereOthersAreEnough) {
  EXPECT_EQ(split_cores({0, 1, 2, 3}, {0, 1}, 2).worker, (Cores{2, 3}));
  EXPECT_EQ(split_cores({0, 1, 2, 3}, {0, 1}, 3).worker, (Cores{1, 2, 3}));
  EXPECT_EQ(split_cores({0, 1}, {0, 1}, 1).worker, Cores{1});
}

TEST(Cores, OfTheJudgeAreAsBeforeAfterwards) {
  cpu_set_t before;
  cpu_set_t now;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  {
    const OnJudgesCore here({first, {}});
    ASSERT_EQ(::sched_getaffinity(0, sizeof now, &now), 0);
    EXPECT_EQ(CPU_COUNT(&now), 1);
    EXPECT_TRUE(CPU_ISSET(first, &now));
  }
  ASSERT_EQ(::sched_getaffinity(0, sizeof now, &now), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &now));
}

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
