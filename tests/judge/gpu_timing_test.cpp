#include "judge/gpu_timing.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kbench {
namespace {

// A device whose events see the share `seen` of the `call_ns` that a call takes.
struct Device {
  double now_ns = 0;
  double call_ns = 0;
  double seen = 1;
  int late = 0;     // times that another program has the processor when all calls are queued
  int stopped = 0;  // times before that
  double limit_ns = 300e9;
  double busy = 1;  // programs that have the processor in turn, for 10 ms each
  std::uint64_t calls = 0;

  RunEpochs run() {
    return [this](const Epochs& epochs) -> std::optional<std::vector<double>> {
      now_ns += 30'000;  // time to queue and to wait
      calls = epochs.calls;
      const double alone = static_cast<double>(epochs.calls) * call_ns;
      // Short tries end before it is another program's turn.
      const double taken = alone < 1e6 ? alone : alone * busy;
      const double pause = taken > 4e6 && stopped-- > 0 ? 40e6 : 0;
      now_ns += std::max(taken, pause) + (taken > 4e6 && late-- > 0 ? 9e6 : 0) + (busy - 1) * 10e6;
      return std::vector{std::max(seen * taken, pause)};
    };
  }
  std::optional<std::string> hidden() {
    return hidden_work(
        run(), [this] { return now_ns; }, limit_ns);
  }
};

TEST(HiddenWork, IsWhatEventsDoNotSee) {
  Device honest{0, 20'000};
  EXPECT_EQ(honest.hidden(), "");
  EXPECT_EQ(honest.calls, 512u);  // tries of five milliseconds, and ten
  Device elsewhere{0, 20'000, 0.01};
  const auto why = elsewhere.hidden();
  ASSERT_TRUE(why);
  EXPECT_EQ(why->find("HIDDEN_WORK: "), 0u) << *why;
  EXPECT_EQ(elsewhere.calls, 262144u);  // no other explanation was left
  Device half{0, 20'000, 0.5};
  EXPECT_NE(half.hidden(), "");
  Device slow{0, 100e6, 0.5};
  EXPECT_NE(slow.hidden(), "");
  EXPECT_EQ(slow.calls, 16u);
  Device slow_and_honest{0, 100e6};
  EXPECT_EQ(slow_and_honest.hidden(), "");
  EXPECT_EQ(slow_and_honest.calls, 1u);
  Device nothing{0, 0};
  EXPECT_EQ(nothing.hidden(), "");
  Device interrupted{0, 20'000, 1, 4};
  EXPECT_EQ(interrupted.hidden(), "");
}

// The host is stopped while it queues calls: events see that, and hidden work ends meanwhile.
TEST(HiddenWork, IsSeenThoughTheHostWasStopped) {
  for (int stopped = 0; stopped < 2; ++stopped) {
    Device elsewhere{0, 200'000, 0.01, 0, stopped};
    EXPECT_NE(elsewhere.hidden(), "") << stopped;
    Device honest{0, 200'000, 1, 0, stopped};
    EXPECT_EQ(honest.hidden(), "") << stopped;
  }
}

TEST(HiddenWork, EndsItsTriesBeforeTheTimeLimit) {
  Device elsewhere{0, 20'000, 0.01, 0, 0, 2e9};
  EXPECT_NE(elsewhere.hidden(), "");
  EXPECT_EQ(elsewhere.calls, 32768u);  // 655 milliseconds
}

// The judge gets the processor back late after every try, and the calls' work takes longer.
TEST(HiddenWork, IsNotWhatOtherProgramsTake) {
  for (const double busy : {2.0, 4.0, 8.0}) {
    Device honest{0, 20'000, 1, 0, 0, 300e9, busy};
    EXPECT_EQ(honest.hidden(), "") << busy;
    Device half{0, 20'000, 0.5, 0, 0, 300e9, busy};
    EXPECT_NE(half.hidden(), "") << busy;
  }
}

TEST(HiddenWork, OfACallThatFailedIsNotKnown) {
  const RunEpochs fails = [](const Epochs&) { return std::optional<std::vector<double>>(); };
  EXPECT_EQ(hidden_work(
                fails, [] { return 0.0; }, 300e9),
            std::nullopt);
}

TEST(Profiler, SaysWhyItMeasuresNothing) {
  EXPECT_EQ(problem_of_profiler("==PROF== Connected to process 7 (/bin/x)\n"
                                "==PROF== Profiling \"twice\" - 0: 0%....100% - 9 passes\n"
                                "the candidate says ==ERROR== \n"
                                "==PROF== Disconnected from process 7\n"),
            "");
  const std::string counters = problem_of_profiler(
      "==PROF== Connected to process 7 (/bin/x)\n"
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
      "Performance Counters on the target device 0.\n");
  EXPECT_NE(counters.find("NVreg_RestrictProfilingToAdminUsers=0"), counters.npos) << counters;
  EXPECT_EQ(problem_of_profiler("==ERROR== The application returned an error code (11).\n"),
            "ncu says: The application returned an error code (11).");
  EXPECT_EQ(problem_of_profiler("==WARNING== No kernels were profiled.\n"),
            "ncu says: No kernels were profiled.");
}

}  // namespace
}  // namespace kbench
