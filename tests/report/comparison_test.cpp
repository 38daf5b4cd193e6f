#include "report/comparison.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "report/kernel_profile.hpp"
#include "report/wording.hpp"

namespace kbench {
namespace {

// Returns the advice about workloads that took 3 s for ten pairs, and are expected to take so many.
std::string advice(std::initializer_list<std::size_t> expected_pairs) {
  ComparisonReport report;
  for (const std::size_t pairs : expected_pairs) {
    report.workloads.push_back(
        {{}, {}, Compared{Answer::undecided, 10, 0, Interval{-1, 1}, pairs}, 3});
    report.workloads.back().a.evaluation.emplace();
    report.workloads.back().b.evaluation.emplace();
    if (pairs == 10) report.workloads.back().compared->answer = Answer::slower;
  }
  const std::string table = write_table(comparison_document(report), {});
  return table.substr(table.rfind("; ") + 2);
}

TEST(Comparison, SaysWhatWouldDecideIt) {
  EXPECT_EQ(advice({20, 10, 31}), "at the pace so far 10 s more would decide it: --budget 10\n");
  EXPECT_TRUE(advice({0}).starts_with("its pairs speak for no answer")) << advice({0});
  EXPECT_EQ(advice({10, 10}), "each workload has its own answer\n");
}

TEST(XmlText, EscapesMarkupAndControlCharacters) {
  EXPECT_EQ(xml_text("a < b && \"c\"\n\x1b[1m"), "a &lt; b &amp;&amp; &quot;c&quot;\n\\x1b[1m");
}

TEST(XmlText, HoldsNoWorkflowCommand) {
  EXPECT_EQ(xml_text("a\n::error::<x>"), "a\n\\x3a:error::&lt;x&gt;");
}

Trace trace_on(const std::string& hardware, const std::string& machine) {
  Trace trace;
  trace.definition = "d";
  Evaluation& evaluation = trace.evaluation.emplace();
  evaluation.environment.hardware = hardware;
  if (!machine.empty()) evaluation.kbench.emplace().basis.emplace().machine = machine;
  return trace;
}

std::vector<std::string> subjects(const std::vector<Trace>& traces) {
  const Subjects subjects(traces);
  std::vector<std::string> names;
  for (const Trace& trace : traces) names.push_back(subjects.of(trace));
  return names;
}

using Names = std::vector<std::string>;

TEST(Subjects, AreDefinitionsOnOneMachine) {
  EXPECT_EQ(subjects({trace_on("a CPU", "m"), trace_on("a CPU", "m")}), (Names{"d", "d"}));
}

TEST(Subjects, NameTheMachinesWhereThereAreSeveral) {
  EXPECT_EQ(subjects({trace_on("a CPU", "m"), trace_on("a GPU", "n")}),
            (Names{"d on a CPU", "d on a GPU"}));
}

TEST(Subjects, TellTwoOfOneKindApart) {
  EXPECT_EQ(subjects({trace_on("a CPU", "0123456789"), trace_on("a CPU", "abcdef0123"),
                      trace_on("a CPU", "")}),
            (Names{"d on a CPU (012345)", "d on a CPU (abcdef)", "d on a CPU"}));
}

constexpr const char* sample =
    "==PROF== Disconnected from process 7\n"
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"gpu__time_duration.sum\","
    "\"sm__throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"sm__warps_active.avg.pct_of_peak_sustained_active\",\"launch__shared_mem_per_block\","
    "\"launch__registers_per_thread\"\n"
    "\"\",\"\",\"\",\"\",\"nsecond\",\"%\",\"%\",\"Kbyte/block\",\"register/thread\"\n"
    "\"0\",\"7\",\"twice(float const*, float*, \"\"n\"\")\",\"(256, 1, 1)\",\"2,112\",\"12.50\","
    "\"71.25\",\"1.02\",\"16\"\r\n"
    "\"1\",\"7\",\"longer\",\"(256, 1, 1)\",\"1,500,000\",\"n/a\",\"\",\"0\",\"255\"\n";

TEST(KernelProfile, IsReadFromTheTableOfRawValues) {
  const auto kernels = read_profile(sample);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "twice(float const*, float*, \"n\")");
  ASSERT_EQ(kernels[0].figures.size(), profile_figures().size());
  EXPECT_EQ(kernels[0].figures[0], 2112);
  EXPECT_EQ(kernels[0].figures[1], 12.5);
  EXPECT_EQ(kernels[0].figures[2], std::nullopt);  // this kernel has no such column
  EXPECT_EQ(kernels[0].figures[8], 1020);
  EXPECT_EQ(kernels[1].figures[1], std::nullopt);
}

TEST(KernelProfile, UnitsAreThoseOfTheTable) {
  const auto kernels = read_profile(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"us\"\n\"0\",\"f\",\"2.5\"\n"
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"0\",\"g\",\"2.5\"\n");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].figures[0], 2500);
  EXPECT_EQ(kernels[1].figures[0], 2.5);
}

TEST(KernelProfile, TheLongestStandFirst) {
  const Grid grid = profile_grid(read_profile(sample), 1);
  ASSERT_EQ(grid.rows.size(), 1U);
  EXPECT_EQ(grid.rows[0][0].text, "longer");
  EXPECT_EQ(grid.rows[0][1].text, "1.50 ms");
}

TEST(KernelProfile, AnyTextIsRead) {
  const std::string text = sample;
  for (std::size_t end = 0; end < text.size(); ++end) read_profile(text.substr(0, end));
  EXPECT_TRUE(read_profile("").empty());
  EXPECT_TRUE(read_profile("\"0\",\"a row before any header\"\n").empty());
}

}  // namespace

}  // namespace kbench
