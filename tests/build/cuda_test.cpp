#include "build/cuda.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "base/file.hpp"
#include "build/build_fixture.hpp"

namespace kbench {
namespace {

Solution cuda_scaler(const std::string& kernel) {
  Solution solution;
  solution.name = "scaler";
  solution.spec.language = Language::cuda;
  solution.spec.target_hardware = {"NVIDIA H100"};
  solution.spec.entry_point = "kernel.cu::run";
  solution.sources = {{"kernel.cu", kernel}};
  return solution;
}

constexpr const char* good_cuda = R"(#include "kbench_ffi.h"
__global__ void scale(const float* x, float* y, int n) {
  int unused;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
void launch(kbench::Tensor x, kbench::Tensor y) {
  scale<<<1, 256>>>(x.data<float>(), y.data<float>(), 256);
}
KBENCH_EXPORT(run, launch)
)";

class BuildCuda : public BuildTest {
 protected:
  std::string lacks() { return cuda_unavailable(toolchain_); }
};

TEST_F(BuildCuda, SaysWhatIsMissing) {
  toolchain_.cuda.nvcc.clear();
  toolchain_.cuda.chosen_nvcc.clear();
  EXPECT_NE(cuda_unavailable(toolchain_).find("CUDA Toolkit"), std::string::npos);
  toolchain_.cuda.chosen_nvcc = "nvxx";
  EXPECT_NE(cuda_unavailable(toolchain_).find("CUDACXX is \"nvxx\""), std::string::npos);
}

TEST_F(BuildCuda, IsForTheHardwareThatASolutionNames) {
  Solution solution = cuda_scaler(good_cuda);
  EXPECT_EQ(architectures_for(solution, toolchain_), std::vector<std::string>{"sm_90"});
  solution.spec.target_hardware = {"A100", "L40S"};
  EXPECT_EQ(architectures_for(solution, toolchain_), (std::vector<std::string>{"sm_80", "sm_89"}));
  toolchain_.architectures = {"sm_100"};
  EXPECT_EQ(architectures_for(solution, toolchain_), std::vector<std::string>{"sm_100"});
  const auto command = cuda_command(solution, toolchain_, "solution.so");
  EXPECT_NE(std::find(command.begin(), command.end(), "-gencode=arch=compute_100,code=sm_100"),
            command.end());
}

TEST_F(BuildCuda, SaysWhatKernelsTakeAlsoWhenItIsFound) {
  if (!lacks().empty()) GTEST_SKIP() << lacks();
  for (const char* const run : {"first", "second"}) {
    toolchain_.libraries = folder_.path() / run;
    const BuildResult result = build_cuda(cuda_scaler(good_cuda), toolchain_);
    ASSERT_TRUE(result.built) << result.cause << result.log;
    EXPECT_EQ(result.from_cache, std::string(run) == "second");
    expect_scaler(result, "scale(float const*, float*, int)");
  }
}

TEST_F(BuildCuda, ACompileErrorHasItsLine) {
  if (!lacks().empty()) GTEST_SKIP() << lacks();
  const BuildResult result =
      build_cuda(cuda_scaler("__global__ void f() { nothing(); }\n"), toolchain_);
  EXPECT_FALSE(result.built);
  EXPECT_EQ(result.cause.find("BUILD_ERROR: kernel.cu(1): error: "), 0u) << result.cause;
}

TEST_F(BuildCuda, WhatIsNoCompilerIsNotHeldAgainstASolution) {
  if (!lacks().empty()) GTEST_SKIP() << lacks();
  toolchain_.cuda.nvcc = "/bin/false";
  EXPECT_THROW(build_cuda(cuda_scaler(good_cuda), toolchain_), std::runtime_error);
}

}  // namespace
}  // namespace kbench
