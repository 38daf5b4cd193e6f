#include <gtest/gtest.h>

#include "exec/sanitizer_report.hpp"

namespace kbench {
namespace {

TEST(EmulationReport, TakesTheLastLineOfItsOwn) {
  const auto report = read_emulation_report(
      "hello\nkbench-emulation: NOTE UNINITIALISED read, k.cu:1\nkbench-emulation: RACE read of x, "
      "./k.cu:3, kernel f, block (0,0,0), thread (1,0,0)\n");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->kind, "RACE");
  EXPECT_EQ(report->text, "read of x, k.cu:3, kernel f, block (0,0,0), thread (1,0,0)");
}

TEST(EmulationReport, HasNoneInOtherOutput) {
  EXPECT_FALSE(read_emulation_report(""));
  EXPECT_FALSE(read_emulation_report("say kbench-emulation: RACE\n"));
  EXPECT_FALSE(read_emulation_report("kbench-emulation: NOTE UNINITIALISED read\n"));
  EXPECT_EQ(read_emulation_report("kbench-emulation:").value_or(EmulationReport{"none", ""}).kind,
            "none");
}

TEST(EmulationReport, NotesAreNoFaults) {
  EXPECT_EQ(emulation_note("kbench-emulation: NOTE UNINITIALISED read, ./k.cu:1\n"),
            "UNINITIALISED read, k.cu:1");
  EXPECT_EQ(emulation_note("kbench-emulation: RACE x\n"), "");
}

}  // namespace
}  // namespace kbench
