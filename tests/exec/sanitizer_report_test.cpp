#include "exec/sanitizer_report.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

const std::vector<std::string> cpp_sources = {"kernel.cpp", "src/inner.h"};

TEST(SanitizerReport, OrdinaryOutputHasNone) {
  EXPECT_FALSE(read_sanitizer_report("", cpp_sources));
  EXPECT_FALSE(
      read_sanitizer_report("AddressSanitizer is a tool\nrow 1: runtime 3\n", cpp_sources));
}

TEST(SanitizerReport, TheAddressSanitizersPlaceIsTheInnermostFrameInTheSources) {
  const auto report = read_sanitizer_report(
      "hello\n"
      "=================================================================\n"
      "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000054 at pc 0x1\n"
      "WRITE of size 1 at 0x602000000054 thread T0\n"
      "    #0 0x7f in memcpy ../../libsanitizer/sanitizer_common/interceptors.inc:827\n"
      "    #1 0x7f in std::copy /usr/include/c++/12/bits/stl_algobase.h:431\n"
      "    #2 0x7f in inner(float*) ./src/inner.h:31:9\n"
      "    #3 0x7f in kernel kernel.cpp:12\n"
      "\n"
      "allocated by thread T0 here:\n"
      "    #0 0x7f in kernel kernel.cpp:5\n",
      cpp_sources);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->bug, "heap-buffer-overflow");
  EXPECT_EQ(report->access, "write of 1 byte");
  EXPECT_EQ(report->address, 0x602000000054U);
  EXPECT_EQ(report->place, "src/inner.h:31");
  EXPECT_EQ(report->first_lines.find("hello"), std::string::npos);
}

TEST(SanitizerReport, SignalsAndOtherKindsHaveTheirNames) {
  const auto bug = [](const std::string& heading) {
    return read_sanitizer_report("==7==ERROR: AddressSanitizer: " + heading, cpp_sources)->bug;
  };
  EXPECT_EQ(bug("SEGV on unknown address 0x000000000000 (pc 0x7 bp 0x7 sp 0x7 T0)"), "SEGV");
  EXPECT_EQ(bug("attempting double-free on 0x60 in thread T0:"), "attempting double-free");
  EXPECT_EQ(bug("negative-size-param: (size=-4)"), "negative-size-param");
  EXPECT_EQ(read_sanitizer_report("==7==ERROR: AddressSanitizer failed to allocate 0x10 bytes",
                                  cpp_sources)
                ->bug,
            "out of memory");
}

TEST(SanitizerReport, UndefinedBehaviourIsALineWithoutItsAddresses) {
  const auto report = read_sanitizer_report(
      "kernel.cpp:9:5: runtime error: load of misaligned address 0x7f01 for type 'int', which "
      "requires 4 byte alignment\n0x7f01: note: pointer points here\n",
      cpp_sources);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->bug,
            "load of misaligned address for type 'int', which requires 4 byte alignment");
  EXPECT_EQ(report->place, "kernel.cpp:9");
  EXPECT_EQ(report->address, 0x7f01U);
  EXPECT_EQ(report->access, "");
}

TEST(SanitizerReport, APlaceThatIsNoSourceIsNone) {
  const auto report =
      read_sanitizer_report("/tmp/x/kernel.cpp:9:5: runtime error: a\n", cpp_sources);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->place, "");
  EXPECT_EQ(read_sanitizer_report("kernel.cpp: runtime error: a\n", cpp_sources)->place, "");
}

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
