#include "build/nvrtc.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/cubins.hpp"
#include "base/file.hpp"
#include "build/build_fixture.hpp"
#include "build/cuda.hpp"

namespace kbench {
namespace {

constexpr const char* good_kernel = R"(template <typename T, int Times>
__global__ void scale(const T* x, T* y, int n) {
  int unused;
  __shared__ T column[1024];
  column[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = Times * column[threadIdx.x * 32 % 1024];
}
)";

Solution kernel_scaler(const std::string& source) {
  Solution solution;
  solution.name = "scaler";
  solution.spec.language = Language::cuda;
  solution.spec.target_hardware = {"NVIDIA H100"};
  solution.spec.entry_point = "kernel.cu::scale<float, 2>";
  solution.spec.launch = Launch{{std::int64_t{1}}, {std::int64_t{256}}, {}, {}, {}};
  solution.sources = {{"kernel.cu", source}};
  return solution;
}

class BuildKernel : public BuildTest {
 protected:
  std::string lacks() { return nvrtc_unavailable(toolchain_); }
};

TEST_F(BuildKernel, SaysWhatIsMissing) {
  toolchain_.cuda.nvrtc.clear();
  toolchain_.cuda.chosen_nvrtc.clear();
  EXPECT_NE(unavailable(kernel_scaler(good_kernel), toolchain_).find("nvidia-cuda-nvrtc"),
            std::string::npos);
  toolchain_.cuda.chosen_nvrtc = "/nonexistent";
  EXPECT_NE(nvrtc_unavailable(toolchain_).find("KBENCH_NVRTC is \"/nonexistent\""),
            std::string::npos);
}

TEST_F(BuildKernel, PassesFlagsOnAsNvrtcTakesThem) {
  Solution solution = kernel_scaler(good_kernel);
  solution.spec.compile_flags = {"-DN=3", "-Xptxas=-O1,-v"};
  const auto flags = nvrtc_flags(solution);
  const std::vector<std::string> last(flags.end() - 3, flags.end());
  EXPECT_EQ(last, (std::vector<std::string>{"-DN=3", "--ptxas-options=-O1", "--ptxas-options=-v"}));
  Toolchain toolchain;
  toolchain.device = "sm_89";
  const auto recorded = build_flags(solution, toolchain);  // the solution is for sm_90 alone
  EXPECT_EQ(recorded.front(), "--gpu-architecture=sm_90");
  EXPECT_EQ(std::vector<std::string>(recorded.begin() + 1, recorded.end()), flags);
}

TEST_F(BuildKernel, SaysWhatKernelsTakeAlsoWhenItIsFound) {
  if (!lacks().empty()) GTEST_SKIP() << lacks();
  for (const char* const run : {"first", "second"}) {
    toolchain_.libraries = folder_.path() / run;
    const BuildResult result = build_cuda(kernel_scaler(good_kernel), toolchain_);
    ASSERT_TRUE(result.built) << result.cause << result.log;
    EXPECT_EQ(result.from_cache, std::string(run) == "second");
    EXPECT_EQ(result.symbol, "_Z5scaleIfLi2EEvPKT_PS0_i");
    expect_scaler(result, "scale<float, 2>(float const*, float*, int)");
    if (HasFatalFailure()) return;
    const auto& kernel = result.compiled->kernels[0];
    EXPECT_EQ(kernel.symbol, result.symbol);
    EXPECT_EQ(kernel.shared_bytes, 4096);
    EXPECT_EQ(kernel.barriers, 1);
  }
}

TEST_F(BuildKernel, HasCodeForEachArchitecture) {
  if (!lacks().empty()) GTEST_SKIP() << lacks();
  toolchain_.architectures = {"sm_80", "sm_90a"};
  const BuildResult result = build_cuda(kernel_scaler(good_kernel), toolchain_);
  ASSERT_TRUE(result.built) << result.cause << result.log;
  const auto cubins = unpack(read_file(result.library));
  ASSERT_TRUE(cubins);
  ASSERT_EQ(cubins->size(), 2u);
  EXPECT_EQ((*cubins)[1].architecture, "sm_90a");
  for (const Cubin& cubin : *cubins)
    EXPECT_TRUE(
        cubin.code.starts_with("\x7f"
                               "ELF"));
  EXPECT_EQ(result.compiled->kernels.size(), 2u);
}

TEST_F(BuildKernel, SaysItsInstructionsWhenAsked) {
  if (!lacks().empty()) GTEST_SKIP() << lacks();
  if (toolchain_.cuda.nvdisasm.empty()) GTEST_SKIP() << "no nvdisasm here";
  BuildResult result = build_cuda(kernel_scaler(good_kernel), toolchain_);
  ASSERT_TRUE(result.built) << result.cause << result.log;
  for (int i = 0; i < 2; ++i) {  // the second round finds them in the cache
    result.compiled->kernels[0].instructions.reset();
    add_instructions(kernel_scaler(good_kernel), toolchain_, result);
    const CompiledKernel& kernel = result.compiled->kernels.at(0);
    EXPECT_FALSE(result.compiled->no_instructions);
    ASSERT_TRUE(kernel.instructions);
    EXPECT_EQ(kernel.instructions->barriers, 1);
  }
}

TEST_F(BuildKernel, AnErrorIsTheSolutions) {
  if (!lacks().empty()) GTEST_SKIP() << lacks();
  const BuildResult wrong =
      build_cuda(kernel_scaler("__global__ void scale() { nonsense(); }\n"), toolchain_);
  EXPECT_FALSE(wrong.built);
  EXPECT_NE(wrong.cause.find("kernel.cu(1): error: "), std::string::npos) << wrong.cause;
  Solution unnamed = kernel_scaler(good_kernel);
  unnamed.spec.entry_point = "kernel.cu::scales<float, 2>";
  const BuildResult none = build_cuda(unnamed, toolchain_);
  EXPECT_FALSE(none.built);
  EXPECT_NE(none.cause.find("scales"), std::string::npos) << none.cause;
}

TEST_F(BuildKernel, ALibraryThatIsNoCompilerIsNoSolutionsFault) {
  if (!lacks().empty()) GTEST_SKIP() << lacks();
  const std::filesystem::path other = folder_.path() / "libnvrtc.so.13";
  write_file(other, "no library");
  toolchain_.cuda.nvrtc = other;
  EXPECT_THROW(build_cuda(kernel_scaler(good_kernel), toolchain_), std::runtime_error);
}

TEST_F(BuildKernel, KnowsTheVersionOfNvrtc) {
  if (!lacks().empty()) GTEST_SKIP() << lacks();
  EXPECT_TRUE(nvrtc_version(toolchain_).starts_with("NVRTC 1")) << nvrtc_version(toolchain_);
}

}  // namespace
}  // namespace kbench
