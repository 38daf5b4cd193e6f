#include "build/gpu/sass.hpp"

#include <gtest/gtest.h>

namespace kbench::gpu {
namespace {

// As nvdisasm 13 prints it.
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
  ASSERT_EQ(codes[0].instructions.size(), 3u);  // without padding
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
