#include "build/gpu/architecture.hpp"

#include <gtest/gtest.h>

#include "build/gpu/sass.hpp"
#include "build/gpu/static_report.hpp"

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

// NVIDIA's occupancy calculator gives the same.
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

// Output of nvcc 13.0.
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

// A kernel as nvdisasm 13 prints it.
std::string kernel(const std::string& body) {
  return "\t.target\tsm_80\n\n"
         "\t.section\t.text._Z1fPf,\"ax\",@progbits\n"
         "        .other          _Z1fPf,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n_Z1fPf:\n"
         "\t//## File \"/tmp/a b/f.cu\", line 7 inlined at \"/tmp/a b/f.cu\", line 9\n" +
         body;
}

TEST(Sass, IsReadInstructionByInstruction) {
  const std::string text = kernel(
      "        /*0000*/                   S2R R0, SR_TID.X ;\n"
      ".L_x_1:\n"
      "        /*0010*/              @!P0 STS.64 [R0.X8+0x10], R2 ;\n"
      "        /*0020*/                   EXIT ;\n"
      ".L_x_2:\n"
      "        /*0030*/                   BRA `(.L_x_2);\n"
      "        /*0040*/                   NOP;\n"
      "\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"\n        /*0000*/ .byte 0x04\n");
  const std::vector<Code> codes = read_sass(text);
  ASSERT_EQ(codes.size(), 1u);
  EXPECT_EQ(codes[0].symbol, "_Z1fPf");
  EXPECT_EQ(codes[0].architecture, "sm_80");
  EXPECT_TRUE(codes[0].is_kernel);
  ASSERT_EQ(codes[0].instructions.size(), 3u);  // padding is left out
  const Instruction& store = codes[0].instructions[1];
  EXPECT_EQ(store.address, "0010");
  EXPECT_EQ(store.predicate, "@!P0");
  EXPECT_EQ(store.name(), "STS");
  EXPECT_TRUE(store.has("64"));
  EXPECT_FALSE(store.has("STS"));
  EXPECT_EQ(store.operands, (std::vector<std::string_view>{"[R0.X8+0x10]", "R2"}));
  EXPECT_EQ(codes[0].labels.at(".L_x_1"), 1u);
}

TEST(Sass, OfOtherTextIsEmpty) {
  for (const char* const text :
       {"", "\n", "/*", "\t.section\t.text.", "\t.section\t.text.f,\n/*", "@P0", "nvdisasm fatal"})
    for (const Code& code : read_sass(text)) EXPECT_EQ(mix_of(code).all, 0) << text;
}

TEST(InstructionMix, CountsByWhatIsDone) {
  const std::string text = kernel(
      "/*0000*/ HMMA.16816.F32 R4, R8, R10, R4 ;\n/*0010*/ LDG.E.128.CONSTANT R4, [R2.64] ;\n"
      "/*0020*/ LDG.E R4, [R2.64] ;\n/*0030*/ HFMA2.MMA R2, -RZ, RZ, 0, 2.384e-07 ;\n"
      "/*0040*/ LDGSTS.E.BYPASS.128 [R5], [R2.64] ;\n/*0050*/ LDL R3, [R1] ;\n"
      "/*0060*/ SHFL.BFLY PT, R5, R4, 0x10, 0x1f ;\n/*0070*/ ATOMS.ADD R3, [R1], R2 ;\n"
      "/*0080*/ FFMA R1, R2, R3, R4 ;\n/*0090*/ STG.E.128 [R2.64], R4 ;\n");
  const std::vector<Code> codes = read_sass(text);
  ASSERT_EQ(codes.size(), 1u);
  const InstructionMix mix = mix_of(codes[0]);
  EXPECT_EQ(mix.all, 10);
  EXPECT_EQ(mix.tensor, 1);
  EXPECT_EQ(mix.global_loads, 2);
  EXPECT_EQ(mix.wide_global_loads, 1);
  EXPECT_EQ(mix.wide_global_stores, 1);
  EXPECT_EQ(mix.float16, 0);  // it loads a number
  EXPECT_EQ(mix.async_copies, 1);
  EXPECT_EQ(mix.local, 1);
  EXPECT_EQ(mix.shuffles, 1);
  EXPECT_EQ(mix.atomics, 1);
  EXPECT_EQ(mix.float32, 1);
}

}  // namespace

}  // namespace kbench::gpu
