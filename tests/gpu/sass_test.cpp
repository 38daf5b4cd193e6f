#include "gpu/sass.hpp"

#include <gtest/gtest.h>

#include "gpu/accesses.hpp"
#include "gpu/instruction_mix.hpp"

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

std::vector<Access> accesses_of(const std::string& body) {
  static std::string text;  // the codes have views of it
  static std::vector<Code> codes;
  text = kernel(body);
  codes = read_sass(text);
  return codes.empty() ? std::vector<Access>{} : costly_accesses(codes[0]);
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
  EXPECT_EQ(store.file, "/tmp/a b/f.cu");
  EXPECT_EQ(store.line, 7);
  EXPECT_EQ(codes[0].labels.at(".L_x_1"), 1u);
}

TEST(Sass, OfOtherTextIsEmpty) {
  for (const char* const text :
       {"", "\n", "/*", "\t.section\t.text.", "\t.section\t.text.f,\n/*", "@P0", "nvdisasm fatal"})
    for (const Code& code : read_sass(text)) EXPECT_TRUE(costly_accesses(code).empty()) << text;
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

constexpr const char* reads_thread = "/*0000*/ S2R R0, SR_TID.X ;\n";

TEST(Accesses, ToOneBankTakeTurns) {
  const auto found = accesses_of(std::string(reads_thread) +
                                 "/*0010*/ IMAD.SHL.U32 R1, R0, 0x80, RZ ;\n"
                                 "/*0020*/ LDS R2, [R1+0x40] ;\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_shared);
  EXPECT_EQ(found[0].times, 32);
  EXPECT_EQ(found[0].instruction->address, "0020");
  // 16 bytes: 8 lanes are served at a time, and these 128 bytes apart meet in the same banks.
  const auto wide = accesses_of(std::string(reads_thread) +
                                "/*0010*/ IMAD.SHL.U32 R1, R0, 0x80, RZ ;\n"
                                "/*0020*/ LDS.128 R4, [R1] ;\n");
  ASSERT_EQ(wide.size(), 1u);
  EXPECT_EQ(wide[0].times, 8);
}

TEST(Accesses, OfWhatIsNotKnownAreNotNamed) {
  for (const char* const body :
       {"/*0010*/ LDS R2, [R9] ;\n",                                // nobody wrote it
        "/*0010*/ LDG.E R1, [R8.64] ;\n/*0020*/ LDS R2, [R1] ;\n",  // from memory
        "/*0010*/ IMAD R1, R0, c[0x0][0x160], RZ ;\n/*0020*/ LDS R2, [R1] ;\n",
        "/*0010*/ SHL R1, R0, 0x7 ;\n/*0020*/ @P0 IADD3 R1, R1, R1, RZ ;\n/*0030*/ LDS R2, [R1] "
        ";\n",
        "/*0010*/ SHL R1, R0, 0x7 ;\n/*0020*/ CALL.REL.NOINC `(f) ;\n/*0030*/ LDS R2, [R1] ;\n"})
    EXPECT_TRUE(accesses_of(std::string(reads_thread) + body).empty()) << body;
}

TEST(Accesses, AreFollowedThroughLoops) {
  const auto found = accesses_of(std::string(reads_thread) +
                                 "/*0010*/ SHL R1, R0, 0x3 ;\n"
                                 ".L_x_1:\n"
                                 "/*0020*/ LDS R2, [R1] ;\n"
                                 "/*0030*/ IADD3 R1, R1, 0x100, RZ ;\n"
                                 "/*0040*/ ISETP.GE.AND P0, PT, R3, 0x20, PT ;\n"
                                 "/*0050*/ @!P0 BRA `(.L_x_1) ;\n"
                                 "/*0060*/ EXIT ;\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].times, 2);
  // A step that is another one in each lane.
  EXPECT_TRUE(accesses_of(std::string(reads_thread) + "/*0010*/ SHL R1, R0, 0x3 ;\n"
                                                      ".L_x_1:\n"
                                                      "/*0020*/ LDS R2, [R1] ;\n"
                                                      "/*0030*/ IADD3 R1, R1, R0, RZ ;\n"
                                                      "/*0040*/ @!P0 BRA `(.L_x_1) ;\n")
                  .empty());
}

TEST(Accesses, ToTheDevicesMemoryCountSectors) {
  const auto found = accesses_of(std::string(reads_thread) +
                                 "/*0010*/ HFMA2.MMA R1, -RZ, RZ, 0, 4.76837158203125e-07 ;\n"
                                 "/*0020*/ IMAD.WIDE.U32 R2, R0, R1, c[0x0][0x160] ;\n"
                                 "/*0030*/ LDG.E R4, [R2.64] ;\n"
                                 "/*0040*/ LDG.E.64 R4, [R2.64] ;\n"
                                 "/*0050*/ STG.E.U8 [R2.64], R4 ;\n");
  ASSERT_EQ(found.size(), 2u);  // 8 bytes of 8 are what is needed
  EXPECT_FALSE(found[0].is_shared);
  EXPECT_EQ(found[0].times, 2);
  EXPECT_EQ(found[1].times, 8);
}

}  // namespace
}  // namespace kbench::gpu
