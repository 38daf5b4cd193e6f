// Calls of a search to those that it races, with contenders that only say how long they take.
#include "tune/tuner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tune/make_space.hpp"
#include "tune/strategies.hpp"

namespace kbench {
namespace {

struct Nature {
  double nanoseconds = 1000;
  bool is_wrong = false;        // seen before it is timed
  bool is_wrong_later = false;  // shows on the sets that only finalists are judged on
  bool is_wrong_when_timed = false;
};

// Calls of contenders, in order: "judge_last 1", of the value of parameter A.
using Log = std::vector<std::string>;

class Fake final : public Contender {
 public:
  Fake(const Nature& nature, std::string name, Log& log)
      : nature_(nature), name_(std::move(name)), log_(log) {
    evaluation_.status = Status::passed;
    evaluation_.kbench.emplace();
  }

  bool is_finished() const override { return finished_; }
  void load() override { note("load"); }
  void judge() override {
    note("judge");
    if (nature_.is_wrong || nature_.is_wrong_later) fail();
  }
  void judge_last() override {
    note("judge_last");
    if (nature_.is_wrong) fail();
  }
  bool is_on_gpu() const override { return false; }
  bool was_single_threaded() const override { return true; }
  void keep_to(const CoreSplit&) override {}
  bool begin_timing() override { return note("begin"), true; }
  RunEpochs run_in_turn() override {
    return [this](const Epochs& epochs) -> std::optional<std::vector<double>> {
      note("sample");
      const double call = epochs.kind == CallKind::candidate ? nature_.nanoseconds : 1;
      std::vector<double> samples;
      for (std::uint32_t i = 0; i < epochs.samples; ++i)
        samples.push_back(call * static_cast<double>(epochs.calls) * (1 + 1e-4 * (turn_++ % 3)));
      return samples;
    };
  }
  bool end_timing() override {
    note("end");
    if (nature_.is_wrong_when_timed) fail();
    return !finished_;
  }
  Places elsewhere() const override { return {}; }
  void start_again(const Places&) override {}
  bool come_back() override { return note("come_back"), true; }
  bool prove() override { return true; }
  bool believe(Timing&) override { return true; }
  void pass(Timing timing) override {
    evaluation_.kbench->timing = std::move(timing);
    finished_ = true;
  }
  void time() override {
    Timing timing;
    timing.median_ns = nature_.nanoseconds;
    pass(timing);
  }
  Evaluation finish() override { return evaluation_; }

 private:
  void note(const char* what) const { log_.push_back(what + (" " + name_)); }
  void fail() {
    evaluation_.status = Status::incorrect_numerical;
    evaluation_.kbench->cause = "backward: d_x is wrong";
    finished_ = true;
  }

  Nature nature_;
  std::string name_;
  Log& log_;
  Evaluation evaluation_;
  bool finished_ = false;
  int turn_ = 0;
};

// Search over A = 1, 2, … as there are natures, of which the first is the heuristic's.
struct Search {
  std::map<std::string, Nature> natures;
  std::string stops_at = "";  // the search is interrupted when this stands in the log
  double budget_seconds = 0;
  Log log = {};

  TuneReport run() {
    Tunables tunables;
    Parameter a;
    a.name = "A";
    for (std::size_t i = 1; i <= natures.size(); ++i)
      a.values.emplace_back(static_cast<std::int64_t>(i));
    tunables.parameters = {a};
    Diagnostics reports;
    const auto space = make_space(tunables, {}, reports);
    Solution solution;
    solution.name = "any";
    Job job;
    PreparedWorkload workload;
    SharedMemory stage;
    EvaluateOptions options;
    const Workplace place{job, workload, stage, options, [](const auto& solutions) {
                            Builds builds;
                            for (const Solution* one : solutions) builds.results[one].built = true;
                            return builds;
                          }};
    TuneOptions how;
    how.strategy = find_strategy("exhaustive");
    how.search.batch = 16;
    how.contest.budget_ns = 1e8;
    how.budget_seconds = budget_seconds;
    how.search.stop = [this] { return std::find(log.begin(), log.end(), stops_at) != log.end(); };
    return tune(place, {solution, tunables, *space, starter()}, how);
  }

 private:
  StartContender starter() {
    return [this](const Entrant& entrant) {
      EXPECT_TRUE(entrant.build->built);
      const std::string value =
          parameter_text(*entrant.solution->spec.configuration->define.find("A"));
      return std::make_unique<Fake>(natures.at(value), value, log);
    };
  }
};

std::size_t place_of(const Log& log, const std::string& what) {
  return static_cast<std::size_t>(std::find(log.begin(), log.end(), what) - log.begin());
}

TEST(Tuner, AsksContendersOfAnotherKindAndNoOthers) {
  Search search{{{"1", {4000}}, {"2", {1000}}, {"3", {9000}}}};
  const TuneReport report = search.run();
  EXPECT_EQ(report.decision, TuneDecision::beaten);
  ASSERT_TRUE(report.winner);
  EXPECT_EQ(configuration_text(report.rows[*report.winner].configuration), "A=2");
  EXPECT_NEAR(*report.rows[*report.winner].median_ns, 1000, 2);  // the contest's time
  EXPECT_GT(report.rows[*report.heuristic].samples_ns.front(), 3999);
  for (const char* one : {"1", "2", "3"})
    EXPECT_LT(place_of(search.log, std::string("judge_last ") + one),
              place_of(search.log, std::string("sample ") + one));
}

TEST(Tuner, TimesNoneThatIsWrong) {
  Search search{{{"1", {4000}}, {"2", {1000, true}}, {"3", {9000}}}};
  const TuneReport report = search.run();
  ASSERT_TRUE(report.winner);
  EXPECT_EQ(configuration_text(report.rows[*report.winner].configuration), "A=1");
  const TuneRow& row = report.rows[1];
  EXPECT_EQ(row.status, Status::incorrect_numerical);
  EXPECT_EQ(row.cause, "backward: d_x is wrong");
  EXPECT_TRUE(row.samples_ns.empty());
  EXPECT_EQ(place_of(search.log, "sample 2"), search.log.size());
}

TEST(Tuner, LetsNoneWinThatFinalistsJudgementFindsWrong) {
  Search search{{{"1", {4000}}, {"2", {1000, false, true}}, {"3", {9000}}}};
  const TuneReport report = search.run();
  ASSERT_TRUE(report.winner);
  EXPECT_EQ(configuration_text(report.rows[*report.winner].configuration), "A=1");
  EXPECT_EQ(report.rows[1].status, Status::incorrect_numerical);
}

std::string winner_of(const TuneReport& report) {
  return report.winner ? configuration_text(report.rows[*report.winner].configuration) : "";
}

// A wrong one is often fast: it has put the others out before it is known.
TEST(Tuner, BringsBackWhomAWrongOneHasBeaten) {
  Search search{{{"1", {60000}}, {"2", {3000}}, {"3", {10, false, false, true}}, {"4", {3100}}}};
  const TuneReport report = search.run();
  EXPECT_EQ(winner_of(report), "A=2");
  EXPECT_EQ(report.decision, TuneDecision::beaten);
  EXPECT_EQ(report.rows[2].status, Status::incorrect_numerical);
}

TEST(Tuner, GivesThePlacesOfWrongFinalistsToOthers) {
  Search search{{{"1", {60000}},
                 {"2", {3000}},
                 {"3", {10, false, true}},
                 {"4", {11, false, true}},
                 {"5", {12, false, true}}}};
  const TuneReport report = search.run();
  EXPECT_EQ(winner_of(report), "A=2");
  EXPECT_EQ(report.decision, TuneDecision::beaten);
}

TEST(Tuner, CallsNobodyWrongThatWasInterrupted) {
  Search search{{{"1", {4000}}, {"2", {1000, false, false, true}}, {"3", {9000}}}, "begin 3"};
  const TuneReport report = search.run();
  EXPECT_FALSE(report.winner);
  for (const TuneRow& row : report.rows) EXPECT_EQ(row.status, Status::passed);
}

TEST(Tuner, SaysWhetherItsBudgetOrItsUserEndedIt) {
  Search slow{{{"1", {4000}}, {"2", {1000}}}};
  slow.budget_seconds = 1e-9;
  EXPECT_EQ(slow.run().end, SearchEnd::budget);
  Search search{{{"1", {4000}}, {"2", {1000}}}};
  search.budget_seconds = 1e-9;
  search.log.push_back(search.stops_at);  // interrupts from the begin on
  EXPECT_EQ(search.run().end, SearchEnd::stopped);
}

}  // namespace
}  // namespace kbench
