// Samples have the forms of NVIDIA's manual and of the program itself (2026.4), with other names.
#include "exec/compute_sanitizer_report.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

const std::vector<std::string> cuda_sources = {"kernel.cu", "inner/reduce.cuh"};

ToolReport read(const std::string& text, const char* tool = "memcheck") {
  return read_tool_report(text, tool, cuda_sources);
}

// Kernel, place, thread and block; "-" for what a report does not say.
std::string where_of(const SanitizerFinding& one) {
  return one.kernel.value_or("-") + " " + one.place.value_or("-") + " " + one.thread.value_or("-") +
         " " + one.block.value_or("-");
}

TEST(ToolReport, AnInvalidAccessHasItsLineKernelThreadAndBlock) {
  const std::string access =
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     at twice(float const*, float*, long)+0x90 in /tmp/b/src/kernel.cu:12\n"
      "=========     by thread (3,0,0) in block (1,0,0)\n"
      "=========     Address 0x7f91edf00400 is out of bounds\n"
      "=========     and is 1 bytes after the nearest allocation at 0x7f91edf00000 of size 1,024 "
      "bytes\n"
      "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
      "=========         Host Frame: launch(kbench::Tensor) [0xacd4] in solution.so\n"
      "=========\n";
  std::string other = access;
  other.replace(other.find("(3,0,0)"), 7, "(4,0,0)");
  const ToolReport report = read("candidate: hello\n========= COMPUTE-SANITIZER\n" + access +
                                 other + "========= ERROR SUMMARY: 2 errors\n");
  ASSERT_EQ(report.findings.size(), 1u);
  const SanitizerFinding& one = report.findings[0];
  EXPECT_EQ(one.tool, "memcheck");
  EXPECT_EQ(one.message, "Invalid __global__ write of size 4 bytes: address is out of bounds");
  EXPECT_EQ(where_of(one), "twice(float const*, float*, long) kernel.cu:12 (3,0,0) (1,0,0)");
  EXPECT_EQ(one.reports, 2);
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(report.trouble, "");
  EXPECT_EQ(
      cause_of(one),
      "SANITIZER memcheck: Invalid __global__ write of size 4 bytes: address is out of bounds "
      "at kernel.cu:12 in twice(float const*, float*, long) by thread (3,0,0) of block "
      "(1,0,0)");
}

TEST(ToolReport, TheInnermostFunctionInTheSourcesIsThePlace) {
  const ToolReport report = read(
      "========= Barrier error detected. Invalid arguments\n"
      "=========     at __cuda_sm70_warpsync+0x30\n"
      "=========     by thread (0,0,0) in block (2,0,0)\n"
      "=========     Device Frame:__syncwarp(unsigned int)+0xf0 in "
      "/usr/include/intrinsics.hpp:110\n"
      "=========     Device Frame: sum(float)+0x3c0 in inner/reduce.cuh:48\n"
      "=========         Device Frame: kernel(float*)+0x30 in kernel.cu:44\n"
      "=========\n",
      "synccheck");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].message, "Barrier error detected. Invalid arguments");
  EXPECT_EQ(where_of(report.findings[0]), "sum(float) inner/reduce.cuh:48 (0,0,0) (2,0,0)");
  EXPECT_FALSE(report.is_complete);
}

TEST(ToolReport, ARaceHasBothSides) {
  const ToolReport report = read(
      "========= COMPUTE-SANITIZER\n"
      "========= Error: Race reported between Write access at sum(int *, int *)+0x90 in "
      "/tmp/src/kernel.cu:41\n"
      "=========     and Read access at sum(int *, int *)+0x100 in /tmp/src/kernel.cu:51 [508 "
      "hazards]\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
      "racecheck");
  ASSERT_EQ(report.findings.size(), 1u);
  const SanitizerFinding& race = report.findings[0];
  EXPECT_EQ(race.message,
            "Race reported between Write access at sum(int *, int *) in kernel.cu:41 and Read "
            "access at sum(int *, int *) in kernel.cu:51 [508 hazards]");
  EXPECT_EQ(race.place, "kernel.cu:41");
  EXPECT_EQ(cause_of(race), "SANITIZER racecheck: " + race.message);
  EXPECT_EQ(report.trouble, "");
  const ToolReport hazard = read(
      "========= Warning: (Warp Level Programming) Potential RAW hazard detected at __shared__ "
      "0x8c "
      "in block (5,0,0) :\n"
      "=========     Write Thread (35,0,0) at sum(int *)+0x90 in kernel.cu:44\n"
      "=========     Read Thread (32,0,0) at sum(int *)+0x120 in kernel.cu:56\n"
      "=========     Current Value : 35\n",
      "racecheck");
  ASSERT_EQ(hazard.findings.size(), 1u);
  EXPECT_EQ(where_of(hazard.findings[0]), "sum(int *) kernel.cu:44 (35,0,0) (5,0,0)");
}

TEST(ToolReport, AHeadingMayHoldAll) {
  const ToolReport report = read(
      "========= Barrier called by threads starting at (32,0,0) in block (1,0,0), (active mask: "
      "0xffffffff) at kernel()+0x2b0 in kernel.cu:36\n",
      "synccheck");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(where_of(report.findings[0]), "kernel() kernel.cu:36 (32,0,0) (1,0,0)");
}

TEST(ToolReport, WithoutLinesOrNamesItIsAFindingStill) {
  const ToolReport report = read(
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at mult(int *, int)+0x60\n"
      "=========     by thread (122,0,0) in block (0,0,0)\n"
      "=========     Address 0x7f936fa001e8\n"
      "=========\n"
      "========= Malloc/Free error encountered : Double free\n"
      "=========     at 0x79d8\n"
      "=========\n",
      "initcheck");
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].message, "Uninitialized __global__ memory read of size 4 bytes");
  EXPECT_EQ(where_of(report.findings[0]), "mult(int *, int) - (122,0,0) (0,0,0)");
  EXPECT_EQ(report.findings[1].message, "Malloc/Free error encountered : Double free");
  EXPECT_EQ(where_of(report.findings[1]), "- - - -");
}

TEST(ToolReport, NothingWrongIsNoFinding) {
  const ToolReport report =
      read("1 + 1 = 2\n========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(report.trouble, "");
}

TEST(ToolReport, WhatTheToolCannotDoIsNoFinding) {
  const ToolReport report = read(
      "========= COMPUTE-SANITIZER\n"
      "========= Error: process didn't terminate successfully\n"
      "=========     The application may have hit an error when dereferencing Unified Memory from "
      "the host. Please rerun the application under cuda-gdb or a host debugger to catch host side "
      "errors.\n"
      "========= Error: Target application terminated before first instrumented API call\n"
      "========= Tracking kernels launched by child processes requires the --target-processes all "
      "option.\n");
  EXPECT_TRUE(report.findings.empty());
  EXPECT_FALSE(report.is_complete);
  EXPECT_EQ(report.trouble, "Error: process didn't terminate successfully");
  EXPECT_EQ(
      read("========= Target application terminated before first instrumented API call\n").trouble,
      "Target application terminated before first instrumented API call");
  EXPECT_EQ(read("========= Warning: Detected overflow of tracked cuda::barrier structures.\n")
                .findings.size(),
            0u);
}

}  // namespace
}  // namespace kbench
