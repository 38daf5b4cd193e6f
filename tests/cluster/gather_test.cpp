#include "cluster/gather.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <system_error>

#include "base/file.hpp"
#include "cluster/shard_folder.hpp"
#include "cluster/shard_trace.hpp"
#include "schema/record_signature.hpp"
#include "schema/trace_set.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

// Two workloads with two solutions each, one workload a shard.
ClusterPlan small_plan() {
  ClusterPlan plan;
  plan.head.shards = 2;
  plan.digest = plan_digest;
  for (int shard = 0; shard < 2; ++shard) {
    PlanUnit unit;
    unit.definition = "d";
    unit.workload = fmt::format("w{}", shard);
    unit.solutions = {"s", "t"};
    unit.shard = shard;
    for (const std::string& solution : unit.solutions)
      unit.digests.push_back(pair_digest("hash of d", "hash of " + unit.workload, solution));
    plan.units.push_back(unit);
  }
  return plan;
}

class GatherTest : public testing::Test {
 protected:
  void add(Trace trace, int shard = 0) {
    trace.evaluation->kbench->digest = record_digest(trace);
    append_trace(shard_folder(out(), shard) / "traces" / "a" / "op" / "d.jsonl", trace);
  }
  std::filesystem::path out() const { return folder_.path(); }
  std::size_t count(const Gathered& gathered, RecordFault fault) const {
    return gathered.faults[static_cast<std::size_t>(fault)].count;
  }
  Gathered gathered() const { return gather(plan_, out()); }

  ClusterPlan plan_ = small_plan();

 private:
  TempFolder folder_;
};

TEST_F(GatherTest, RecordsStandInTheOrderOfOneRun) {
  for (const int shard : {1, 0})
    for (const char* const solution : {"t", "s"})
      add(shard_trace(fmt::format("w{}", shard), solution, shard), shard);
  const Gathered found = gathered();
  EXPECT_EQ(found.missing, 0u);
  write_gathered(found, out());
  Diagnostics reports;
  const auto traces = load_trace_set(out(), {}, reports).traces;
  std::string order;
  for (const auto& one : traces) order += one.record.workload.uuid + *one.record.solution + " ";
  EXPECT_EQ(order, "w0s w0t w1s w1t ");
}

TEST_F(GatherTest, WhatIsMissingIsNamedByItsShard) {
  add(shard_trace("w0", "s", 0));
  const Gathered found = gathered();
  EXPECT_EQ(found.missing, 3u);
  EXPECT_EQ(found.missing_of, (std::map<std::int64_t, std::size_t>{{0, 1}, {1, 2}}));
}

TEST_F(GatherTest, OfTwoRecordsThatOfTheEarlierAttemptCounts) {
  add(shard_trace("w0", "s", 0, 1));
  add(shard_trace("w0", "s", 0, 0));
  add(shard_trace("w0", "s", 0, 2));
  const Gathered found = gathered();
  EXPECT_EQ(count(found, RecordFault::doubled), 2u);
  EXPECT_EQ(found.records[0].attempt, 0);
  EXPECT_EQ(found.missing, 3u);
}

TEST_F(GatherTest, OnlyWhatWasPlannedCounts) {
  Trace changed = shard_trace("w0", "s", 0);
  changed.evaluation->kbench->run->pair = "another text";
  add(changed);
  Trace of_another_plan = shard_trace("w0", "t", 0);
  of_another_plan.evaluation->kbench->run->plan = "another";
  add(of_another_plan);
  add(shard_trace("w0", "u", 0));
  const Gathered found = gathered();
  EXPECT_EQ(count(found, RecordFault::changed), 1u);
  EXPECT_EQ(count(found, RecordFault::unplanned), 2u);
  EXPECT_EQ(found.missing, 4u);
}

TEST_F(GatherTest, AnEditedRecordDoesNotCount) {
  Trace trace = shard_trace("w0", "s", 0);
  trace.evaluation->kbench->digest = record_digest(trace);
  trace.evaluation->status = Status::timeout;
  append_trace(shard_folder(out(), 0) / "traces" / "a" / "op" / "d.jsonl", trace);
  EXPECT_EQ(count(gathered(), RecordFault::edited), 1u);
}

// The counter counts what gather counts, and reads each record once.
TEST_F(GatherTest, TheCounterCountsPairsAndReadsOn) {
  const auto judged = counter_of_judged(plan_, out());
  EXPECT_EQ(judged(), 0u);
  add(shard_trace("w0", "s", 0));
  add(shard_trace("w0", "s", 0, 1));
  add(shard_trace("w0", "u", 0));
  EXPECT_EQ(judged(), 1u);
  const auto file = shard_folder(out(), 0) / "traces" / "a" / "op" / "d.jsonl";
  std::string text = read_file(file);
  std::string blank(text.size() - 1, ' ');
  write_file(file, blank + "\n");  // would be a line that is no record, if it were read again
  add(shard_trace("w0", "t", 0));
  EXPECT_EQ(judged(), 2u);
  add(shard_trace("w1", "s", 1), 1);
  EXPECT_EQ(judged(), 3u);
  write_file(file, blank + "\n{\"definition\": \"d\", \"wor");
  EXPECT_EQ(judged(), 3u);
}

TEST_F(GatherTest, WhatAnEarlierGatherWroteAndCountsNoMoreIsSetAside) {
  add(shard_trace("w0", "s", 0));
  EXPECT_EQ(write_gathered(gathered(), out()).folders,
            std::vector<std::string>{(out() / "traces").string()});
  std::filesystem::remove_all(shard_folder(out(), 0));
  const GatheredFiles files = write_gathered(gathered(), out());
  const auto file = out() / "traces" / "a" / "op" / "d.jsonl";
  EXPECT_EQ(files.set_aside, std::vector<std::string>{file.string()});
  EXPECT_TRUE(files.folders.empty());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(std::filesystem::exists(file.string() + std::string(aside)));
}

TEST_F(GatherTest, WhatCannotBeWrittenIsNamed) {
  add(shard_trace("w0", "s", 0));
  write_file(out() / "traces" / "a" / "op", "a file");
  try {
    write_gathered(gathered(), out());
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("traces/a/op: Not a directory"), std::string::npos)
        << error.what();
  }
}

// The file of one shard has the longest name; that of another lies in a folder of that name.
TEST_F(GatherTest, NoFileIsInAnothersWay) {
  const std::string name = std::string(249, 'd') + ".jsonl";
  for (const int shard : {0, 1}) {
    add(shard_trace(fmt::format("w{}", shard), "s", shard), shard);
    const auto op = shard_folder(out(), shard) / "traces" / "a" / "op";
    std::filesystem::rename(op / "d.jsonl", op / "kept");
    if (shard == 1) std::filesystem::create_directory(op / name);
    std::filesystem::rename(op / "kept", shard == 1 ? op / name / "d.jsonl" : op / name);
  }
  const Gathered found = gathered();
  EXPECT_EQ(count(found, RecordFault::broken), 1u);
  EXPECT_EQ(found.missing, 3u);
  write_gathered(found, out());
  EXPECT_TRUE(std::filesystem::is_regular_file(out() / "traces" / "a" / "op" / name));
}

TEST_F(GatherTest, RecordsOfARunWithoutThePlanAreNotItsOwn) {
  Trace trace = shard_trace("w0", "s", 0);
  append_trace(out() / "traces" / "d.jsonl", trace);
  EXPECT_EQ(foreign_record(plan_, out()), "");
  trace.evaluation->kbench->run.reset();
  append_trace(out() / "traces" / "d.jsonl", trace);
  EXPECT_TRUE(foreign_record(plan_, out()).ends_with("d.jsonl:2"));
}

TEST_F(GatherTest, ATornLineIsNone) {
  add(shard_trace("w0", "s", 0));
  const auto file = shard_folder(out(), 0) / "traces" / "a" / "op" / "torn.jsonl";
  write_file(file, R"({"definition": "d", "workl)");
  EXPECT_EQ(count(gathered(), RecordFault::broken), 0u);
  write_file(file, "{\"definition\": \"d\", \"workl\n");
  const Gathered found = gathered();
  EXPECT_EQ(count(found, RecordFault::broken), 1u);
  EXPECT_EQ(found.missing, 3u);
}

TEST_F(GatherTest, APipeIsAFaultOfItsShard) {
  add(shard_trace("w0", "s", 0));
  const auto pipe = shard_folder(out(), 0) / "traces" / "a" / "op" / "pipe.jsonl";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0644), 0);
  const Gathered found = gathered();
  EXPECT_EQ(count(found, RecordFault::broken), 1u);
  EXPECT_EQ(found.missing, 3u);
}

TEST_F(GatherTest, RecordsOfAnotherGpuThanThePlansDoNotCount) {
  plan_.head.gpu = "h100";
  for (const auto& [workload, name] :
       {std::pair("w0", "NVIDIA H100 80GB"), {"w1", "NVIDIA A100"}}) {
    Trace trace = shard_trace(workload, "s", 0);
    trace.evaluation->environment.hardware = name;
    trace.evaluation->kbench->gpu = GpuRecord{name, "sm_90", "13.5", 0, {}, {}};
    add(trace);
  }
  add(shard_trace("w0", "t", 0));  // a record of no GPU
  const Gathered found = gathered();
  EXPECT_EQ(count(found, RecordFault::other_gpu), 1u);
  EXPECT_EQ(found.missing, 2u);
  EXPECT_EQ(found.hardware_at.size(), 2u);
}

}  // namespace
}  // namespace kbench
