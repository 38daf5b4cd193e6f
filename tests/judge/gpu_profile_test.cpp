#include "judge/gpu_profile.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

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
