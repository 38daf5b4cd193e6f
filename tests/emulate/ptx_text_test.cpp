#include <gtest/gtest.h>

#include "emulate/ptx/forms.hpp"
#include "emulate/ptx/text.hpp"

namespace kbench {
namespace {

using PtxKind = PtxOperand::Kind;

PtxInstruction only(const char* text) {
  PtxProgram program = parse_ptx(text);
  EXPECT_EQ(program.problem, "") << text;
  EXPECT_EQ(program.instructions.size(), 1u) << text;
  return program.instructions.empty() ? PtxInstruction{} : program.instructions.front();
}

std::string problem(const char* text) { return parse_ptx(text).problem; }

TEST(PtxText, OperandsAreTakenApart) {
  const PtxInstruction load = only("ld.global.nc.v2.f32 {%0, %1}, [%2 + -16]; // a comment");
  EXPECT_EQ(load.opcode, "ld.global.nc.v2.f32");
  ASSERT_EQ(load.operands.size(), 2u);
  EXPECT_EQ(load.operands[0].kind, PtxKind::vector);
  EXPECT_EQ(load.operands[0].elements[1].index, 1u);
  EXPECT_EQ(load.operands[1].kind, PtxKind::address);
  EXPECT_EQ(load.operands[1].value, static_cast<std::uint64_t>(-16));
  const PtxInstruction move = only("mov.u32 %0, %%laneid;");
  EXPECT_EQ(move.operands[1].kind, PtxKind::special);
  EXPECT_EQ(move.operands[1].name, "laneid");
  const PtxInstruction guarded = only("{ .reg .pred p<2>; @!p1 mov.b32 %0, 0x1F; }");
  EXPECT_TRUE(guarded.is_guarded && guarded.guard.is_negated);
  EXPECT_EQ(guarded.guard.index, 1u);
  EXPECT_EQ(guarded.operands[1].value, 31u);
  EXPECT_EQ(only("setp.ne.b32 p|q, %0, 0;").operands[0].kind, PtxKind::pair);
}

TEST(PtxText, NumbersOfAllForms) {
  const auto bits = [](const char* text) { return only(text).operands[1].value; };
  EXPECT_EQ(bits("mov.u32 %0, 017;"), 15u);
  EXPECT_EQ(bits("mov.u32 %0, 0b101;"), 5u);
  EXPECT_EQ(bits("mov.u32 %0, 5U;"), 5u);
  EXPECT_EQ(bits("mov.s32 %0, -2;"), static_cast<std::uint64_t>(-2));
  EXPECT_EQ(bits("mov.f32 %0, 0f3F800000;"), 0x3ff0000000000000u);  // the bits of a double
  EXPECT_EQ(bits("mov.f32 %0, -1.5e1;"), 0xc02e000000000000u);
}

TEST(PtxText, LabelsAreInstructions) {
  const PtxProgram program =
      parse_ptx("{ .reg .pred p; again: setp.eq.u32 p, %0, 0; @p bra again; bra.uni end; end: }");
  EXPECT_EQ(program.problem, "");
  ASSERT_EQ(program.instructions.size(), 3u);
  EXPECT_EQ(program.instructions[1].operands[0].index, 0u);
  EXPECT_EQ(program.instructions[2].operands[0].index, 3u);
}

TEST(PtxText, WhatIsNotKnownIsNamed) {
  EXPECT_EQ(problem("wgmma.fence.sync.aligned;"), "wgmma.fence.sync.aligned");
  EXPECT_EQ(problem("cp.async.bulk.commit_group;"), "cp.async.bulk.commit_group");
  EXPECT_EQ(problem("add.f128 %0, %1, %2;"), "add.f128");
  EXPECT_EQ(problem("barrier.cluster.arrive;"), "barrier.cluster.arrive");
  EXPECT_EQ(problem("add.u32 %0, unknown, 1;"), "the name unknown");
}

TEST(PtxText, BrokenTextsAreProblemsAndNoCrash) {
  for (const char* text : {"{", "}", "add.u32 %0, %1", "add.u32 %0 %1;", ".reg x;",
                           ".reg .b32 x<99999>;", "mov.u32 %0, 0xzz;", "mov.u32 %0, 0f123;", "@",
                           "@p", "[", "ld.u32 %0, [", "/*", "mov.u32 {%0;"})
    static_cast<void>(parse_ptx(text));
  EXPECT_NE(problem("{ add.u32 %0, %1, %2;"), "");
  EXPECT_NE(problem("add.u32 %0 %1;"), "");
  const std::string deep = "mov.b32 " + std::string(100000, '{') + ";";
  EXPECT_EQ(problem(deep.c_str()), "operands within operands");
  EXPECT_EQ(problem((std::string("mov.b32 ") + std::string(100000, '!') + ";").c_str()),
            "operands within operands");
}

TEST(PtxText, EveryFormIsFoundByItsOwnWords) {
  for (std::size_t i = 0; i < ptx_forms().size(); ++i) {
    std::string opcode;  // first alternatives of every slot
    std::string_view rest = ptx_forms()[i].grammar;
    while (!rest.empty()) {
      const std::string_view slot = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(slot.size() + 1, rest.size()));
      std::string_view word = slot.substr(0, slot.find('|'));
      if (word.starts_with('?')) word.remove_prefix(1);
      opcode += (opcode.empty() ? "" : ".") + std::string(word);
    }
    std::size_t form = 0;
    std::vector<std::string> words;
    ASSERT_TRUE(match_ptx(opcode, form, words)) << opcode;
    EXPECT_EQ(ptx_forms()[form].operation, ptx_forms()[i].operation) << opcode;
  }
}

}  // namespace
}  // namespace kbench
