#include "build/gpu/static_report.hpp"

#include <gtest/gtest.h>

namespace kbench::gpu {
namespace {

// What nvcc 13.0 prints.
constexpr const char* output =
    R"(add.cu(8): warning #177-D: variable "unused" was declared but never referenced
    float s = 0; int unused = 3;
                     ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z3addILi300EEvPKfPfi' for 'sm_80'
ptxas info    : Function properties for _Z3addILi300EEvPKfPfi
    1200 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 61 registers, used 1 barriers, 1200 bytes cumulative stack size, 1024 bytes smem, 372 bytes cmem[0]
ptxas info    : Compile time = 198.082 ms
ptxas info    : Function properties for _ZN6helperEv
    16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
add.cu(8): warning #177-D: variable "unused" was declared but never referenced
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
host.cpp:3:7: warning: unused variable 'x' [-Wunused-variable]
)";

TEST(PtxasReport, SaysWhatEachKernelTakes) {
  const auto kernels = kernels_in(output);
  ASSERT_EQ(kernels.size(), 2u);
  const CompiledKernel& add = kernels[0];
  EXPECT_EQ(add.kernel, "add<300>(float const*, float*, int)");
  EXPECT_EQ(add.architecture, "sm_80");
  EXPECT_EQ(add.registers, 61);
  EXPECT_EQ(add.stack_bytes, 1200);
  EXPECT_EQ(add.spill_store_bytes, 12);
  EXPECT_EQ(add.spill_load_bytes, 8);
  EXPECT_EQ(add.shared_bytes, 1024);
  EXPECT_EQ(add.constant_bytes, 372);
  EXPECT_EQ(add.barriers, 1);
  EXPECT_EQ(kernels[1].kernel, "plain");
  EXPECT_EQ(kernels[1].architecture, "sm_90");
  EXPECT_EQ(kernels[1].registers, 10);
  EXPECT_EQ(kernels[1].shared_bytes, 0);
}

TEST(PtxasReport, NamesEachWarningOnceWithItsLine) {
  const auto warnings = warnings_in(output);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].file, "add.cu");
  EXPECT_EQ(warnings[0].line, 8);
  EXPECT_EQ(warnings[0].text, "variable \"unused\" was declared but never referenced");
  EXPECT_EQ(warnings[1].file, "host.cpp");
  EXPECT_EQ(warnings[1].line, 3);
}

TEST(PtxasReport, OfOtherTextIsEmpty) {
  EXPECT_TRUE(kernels_in("").empty());
  EXPECT_TRUE(kernels_in("ptxas info    : Used 3 registers\n ' for '\n").empty());
  EXPECT_TRUE(warnings_in(": warning\nx: warning: y\n").empty());
}

}  // namespace
}  // namespace kbench::gpu
