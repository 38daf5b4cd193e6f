#include "cluster/costs.hpp"

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace kbench {
namespace {

TEST(Costs, WhatIsNotKnownIsLikeTheRestOfItsDefinition) {
  JudgingCosts costs;
  EXPECT_EQ(costs.pair_ms("d", "w", "s"), 1000);
  EXPECT_EQ(costs.reference_ms("d", "w"), 0);
  costs.note("d", "w", "s", {10, 100});
  costs.note("d", "w", "t", {30, 100});
  costs.note("e", "x", "s", {80, 300});
  EXPECT_EQ(costs.pair_ms("d", "w", "t"), 30);
  EXPECT_EQ(costs.pair_ms("d", "w2", "t"), 20);
  EXPECT_EQ(costs.pair_ms("f", "w", "s"), 40);
  EXPECT_EQ(costs.reference_ms("d", "w"), 100);
  EXPECT_EQ(costs.reference_ms("d", "w2"), 100);
  EXPECT_EQ(costs.reference_ms("f", "w"), 200);
}

TEST(Costs, RecordsThatSayNothingCountForNothing) {
  TempFolder folder;
  const auto record = [](const char* solution, const char* kbench) {
    return std::string(R"({"definition":"d","workload":{"uuid":"w"},"solution":")") + solution +
           R"(","evaluation":{"kbench":)" + kbench + "}}\n";
  };
  write_file(folder.path() / "traces" / "t.jsonl",
             record("s", R"({"cost_ms":12.5,"reference_cost_ms":3})") + record("t", "null") +
                 R"({"definition":"d","torn)");
  JudgingCosts costs;
  costs.note_records(folder.path().string());
  EXPECT_EQ(costs.pair_ms("d", "w", "s"), 12.5);
  EXPECT_EQ(costs.pair_ms("d", "w", "t"), 12.5);
  EXPECT_EQ(costs.reference_ms("d", "w"), 3);
}

}  // namespace
}  // namespace kbench
