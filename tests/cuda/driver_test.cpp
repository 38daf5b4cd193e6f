#include "worker/cuda/driver.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace kbench::cuda {
namespace {

const std::string nvtx_library = KBENCH_FAKE_NVTX;
const std::string label = "kbench#d/s@0:0123456789abcdef";

std::string nvtx_told() {
  void* const handle = ::dlopen(nvtx_library.c_str(), RTLD_NOW);
  return reinterpret_cast<const char* (*)()>(::dlsym(handle, "fake_nvtx_told"))();
}

TEST(Nvtx, TellsAProfilerOfRanges) {
  const Nvtx nvtx(label, nvtx_library);
  ASSERT_TRUE(nvtx.is_watched());
  {
    const NvtxRange range(nvtx);
    EXPECT_TRUE(nvtx_told().ends_with("push " + label + "\n"));
  }
  EXPECT_TRUE(nvtx_told().ends_with("push " + label + "\npop\n"));
}

TEST(Nvtx, WithoutOneItIsNothing) {
  const std::string before = nvtx_told();
  for (const auto& [name, path] : {std::pair<std::string, std::string>{label, ""},
                                   {"", nvtx_library},
                                   {label, "/nonexistent"},
                                   {label, KBENCH_FAKE_CUDA}}) {
    const Nvtx nvtx(name, path);
    EXPECT_FALSE(nvtx.is_watched()) << name << " " << path;
    const NvtxRange range(nvtx);
  }
  EXPECT_EQ(nvtx_told(), before);
}

}  // namespace
}  // namespace kbench::cuda
