// Chain that chooses a configuration (docs/tuning.md), on candidates 2 and 3 of which 2 is the
// faster, and a heuristic that says 1.
#include "tune/selection.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "base/text.hpp"
#include "support/temp_folder.hpp"
#include "tune/store.hpp"
#include "tune/tuned_example.hpp"

namespace kbench {
namespace {

using Words = std::vector<std::string>;

struct SelectionTest : testing::Test {
  TempFolder folder;
  TunedStore store{folder.path() / "v1"};
  TunedExample example;
  Words events;   // "cache_hit memory"
  Words details;  // one for each event
  int tunings = 0;
  AutotuneResult outcome{example.entry(2), {}};

  Selector selector(SelectionPolicy policy = SelectionPolicy::autotune) {
    return {policy, &store,
            [this](const SelectionRequest&) {
              ++tunings;
              return outcome;
            },
            [this](const SelectionEvent& event) {
              events.push_back(event.event + (event.level.empty() ? "" : " " + event.level));
              details.push_back(event.detail);
            }};
  }
  SelectionRequest request(std::optional<std::int64_t> chosen = std::nullopt) const {
    SelectionRequest request{example.tunables, example.key(), with_facts({}, example.problem.axes)};
    if (chosen) request.chosen = TunedExample::block(*chosen);
    return request;
  }
  // Returns "BLOCK=2 store", or the message of none.
  std::string select(Selector& selector, std::optional<std::int64_t> chosen = std::nullopt) const {
    const auto answer = selector.select(request(chosen));
    if (const auto* none = std::get_if<NoConfiguration>(&answer)) return none->message;
    const auto& record = std::get<Selected>(answer).record;
    EXPECT_EQ(record.key.has_value(),
              record.source == "memory" || record.source == "store" || record.source == "autotune");
    return configuration_text(record.values) + " " + record.source;
  }
  Overlay overlay(std::int64_t value) const {
    Overlay overlay{"my.json", {}, {}};
    overlay.rows.push_back(
        {"scale", "blocked", {}, {}, {}, {}, {}, TunedExample::block(value), {}});
    overlay.places.resize(1);
    return overlay;
  }
  bool is_stored() const { return store.find(example.key()).has_value(); }
};

TEST_F(SelectionTest, S1_TheFirstCallTunes) {
  Selector s = selector();
  EXPECT_EQ(select(s), "BLOCK=2 autotune");
  EXPECT_EQ(events, (Words{"autotune_start", "autotune_finish"}));
  EXPECT_TRUE(is_stored());
}

TEST_F(SelectionTest, S2_TheSecondRemembers) {
  Selector s = selector();
  select(s);
  events.clear();
  EXPECT_EQ(select(s), "BLOCK=2 memory");
  EXPECT_EQ(events, Words{"cache_hit memory"});
  EXPECT_EQ(tunings, 1);
  Selector later = selector();  // stands for another process
  EXPECT_EQ(select(later), "BLOCK=2 store");
  EXPECT_EQ(events.back(), "cache_hit store");
  EXPECT_EQ(tunings, 1);
}

TEST_F(SelectionTest, S3_AnOverrideIsForgotten) {
  Selector s = selector();
  EXPECT_EQ(select(s, 50), "BLOCK=50 override");
  EXPECT_EQ(events, Words{"override"});
  EXPECT_FALSE(is_stored());
  EXPECT_EQ(select(s), "BLOCK=2 autotune");
}

TEST_F(SelectionTest, S4_AnOverrideHoldsUnderEveryPolicy) {
  for (const SelectionPolicy policy : {SelectionPolicy::tuned, SelectionPolicy::autotune,
                                       SelectionPolicy::heuristic, SelectionPolicy::require}) {
    Selector s = selector(policy);
    EXPECT_EQ(select(s, 50), "BLOCK=50 override");
  }
}

TEST_F(SelectionTest, S5_WhereNothingIsAllowedThatIsAnErrorThatSaysWhatWasTried) {
  Selector s = selector(SelectionPolicy::require);
  const auto answer = s.select(request());
  const auto& none = std::get<NoConfiguration>(answer);
  EXPECT_EQ(none.message, "NO_CONFIG: there is no configuration of blocked for scale");
  ASSERT_EQ(none.tried.size(), 5U);
  EXPECT_EQ(none.tried[0], "--cfg was not given");
  EXPECT_EQ(none.tried[1], "there is no overlay");
  EXPECT_EQ(none.tried[2],
            "nothing was tuned for it: the store has no " + short_key(example.key()));
  EXPECT_EQ(none.tried[3], "it is not tuned now: the policy is require");
  EXPECT_EQ(none.tried[4], "the heuristic does not count: the policy is require");
  EXPECT_FALSE(none.is_input);
  EXPECT_EQ(events, Words{"error"});
  EXPECT_NE(details[0].find("--cfg was not given; "), std::string::npos);
}

TEST_F(SelectionTest, WhatIsAskedForBesideATimeForwardIsSaid) {
  example.purpose.direction = "bwd";
  example.purpose.objective = "cold";
  Selector s = selector(SelectionPolicy::require);
  EXPECT_EQ(std::get<NoConfiguration>(s.select(request())).message,
            "NO_CONFIG: there is no configuration of blocked for scale, bwd, objective cold");
  EXPECT_EQ(event_line({.event = "error", .direction = "bwd", .objective = "cold"}),
            "{\"event\":\"error\",\"direction\":\"bwd\",\"objective\":\"cold\"}\n");
}

TEST_F(SelectionTest, S6_WithoutTuningTheHeuristicServes) {
  Selector s = selector(SelectionPolicy::tuned);
  EXPECT_EQ(select(s), "BLOCK=1 heuristic");
  EXPECT_EQ(events, Words{"heuristics"});
  EXPECT_EQ(tunings, 0);
  EXPECT_FALSE(std::filesystem::exists(store.root()));
}

TEST_F(SelectionTest, S7_AnUnknownPolicyIsNone) {
  EXPECT_FALSE(find_policy("bogus"));
  EXPECT_FALSE(find_policy(""));
  EXPECT_EQ(policy_names(), (Words{"tuned", "autotune", "heuristic", "require"}));
  EXPECT_EQ(find_policy("require"), SelectionPolicy::require);
}

TEST_F(SelectionTest, S8_OverlaysNestAndAreForgotten) {
  Selector s = selector();
  s.push_overlay(overlay(7));
  EXPECT_EQ(select(s), "BLOCK=7 overlay");
  s.push_overlay(overlay(8));
  EXPECT_EQ(select(s), "BLOCK=8 overlay");
  s.pop_overlay();
  EXPECT_EQ(select(s), "BLOCK=7 overlay");
  EXPECT_EQ(select(s, 9), "BLOCK=9 override");
  s.pop_overlay();
  EXPECT_FALSE(is_stored());
  EXPECT_EQ(select(s), "BLOCK=2 autotune");
  EXPECT_EQ(events, (Words{"overlay_hit", "overlay_hit", "overlay_hit", "override",
                           "autotune_start", "autotune_finish"}));
}

TEST_F(SelectionTest, S9_WhereAllFailTheHeuristicServesAndTheReasonsAreThere) {
  outcome = {std::nullopt, {"BLOCK=2: INCORRECT_NUMERICAL", "BLOCK=3: TIMEOUT"}};
  Selector s = selector();
  for (int i = 0; i < 2; ++i) {
    const auto answer = s.select(request());
    const auto& selected = std::get<Selected>(answer);
    EXPECT_EQ(selected.record.source, "heuristic");
    EXPECT_EQ(selected.failures, (Words{"BLOCK=2: INCORRECT_NUMERICAL", "BLOCK=3: TIMEOUT"}));
  }
  EXPECT_EQ(tunings, 1);  // each process tunes once
  EXPECT_EQ(events, (Words{"autotune_start", "autotune_failed", "heuristics", "heuristics"}));
  EXPECT_EQ(details[1], "BLOCK=2: INCORRECT_NUMERICAL; BLOCK=3: TIMEOUT");
  EXPECT_FALSE(is_stored());
}

TEST_F(SelectionTest, S12_WhatMemoryForgetsTheStoreHasOrIsTunedAgain) {
  Selector s = selector();
  select(s);
  s.forget();
  EXPECT_EQ(select(s), "BLOCK=2 store");
  s.forget();
  std::filesystem::remove_all(store.root());
  EXPECT_EQ(select(s), "BLOCK=2 autotune");
  EXPECT_EQ(tunings, 2);
}

TEST_F(SelectionTest, S13_AnotherVersionIsTunedAnew) {
  Selector s = selector();
  select(s);
  example.tunables.version = "1";
  EXPECT_EQ(select(s), "BLOCK=2 autotune");
  EXPECT_EQ(tunings, 2);
}

TEST_F(SelectionTest, S16_WhatTheHeuristicHasChosenIsStillTuned) {
  Selector first = selector(SelectionPolicy::heuristic);
  EXPECT_EQ(select(first), "BLOCK=1 heuristic");
  EXPECT_FALSE(is_stored());
  Selector second = selector(SelectionPolicy::autotune);
  EXPECT_EQ(select(second), "BLOCK=2 autotune");
  Selector third = selector(SelectionPolicy::heuristic);  // nothing tuned changes the heuristic
  EXPECT_EQ(select(third), "BLOCK=1 heuristic");
}

TEST_F(SelectionTest, WhatTheUserStatesMustFit) {
  Selector s = selector(SelectionPolicy::tuned);
  auto answer = s.select(request(4));
  ASSERT_TRUE(std::holds_alternative<NoConfiguration>(answer));
  EXPECT_TRUE(std::get<NoConfiguration>(answer).is_input);
  EXPECT_NE(std::get<NoConfiguration>(answer).message.find("--cfg: BLOCK=4 is no configuration"),
            std::string::npos);
  s.push_overlay(overlay(4));
  answer = s.select(request());
  ASSERT_TRUE(std::holds_alternative<NoConfiguration>(answer));
  EXPECT_NE(std::get<NoConfiguration>(answer).message.find("my.json:"), std::string::npos);
}

TEST_F(SelectionTest, ANeighbourInTheBucketLendsItsConfigurationAndThatIsSaid) {
  example.tunables.buckets["M"] = "pow2";
  example.set_length(64);
  outcome.entry = example.entry(2);
  Selector s = selector();
  EXPECT_EQ(std::get<Selected>(s.select(request())).record.borrowed, std::nullopt);
  example.set_length(48);
  const auto answer = s.select(request());
  EXPECT_EQ(std::get<Selected>(answer).record.source, "memory");
  EXPECT_EQ(std::get<Selected>(answer).record.borrowed, "M=64");
  EXPECT_EQ(details.back(), "tuned for M=64");
  example.set_length(65);
  EXPECT_EQ(select(s), "BLOCK=2 autotune");
}

TEST_F(SelectionTest, AConfigurationOfTheBucketThatDoesNotFitHereIsNotTaken) {
  example.tunables.buckets["M"] = "pow2";
  example.tunables.where.push_back({"M % BLOCK == 0", {}});
  example.set_length(64);
  store.put(example.entry(2));
  example.set_length(63);
  Selector s = selector(SelectionPolicy::tuned);
  EXPECT_EQ(select(s), "BLOCK=1 heuristic");
  EXPECT_EQ(events, Words{"heuristics"});  // the entry has another key
}

// Entries made by hand, or by a kbench whose keys did not tell them apart.
TEST_F(SelectionTest, WhatIsStoredForOtherLengthsUnderTheSameKeyStays) {
  store.put(example.entry(2));
  Tunables tunables = example.tunables;
  tunables.where.push_back({"M % BLOCK == 0", {}});
  SelectionRequest here{tunables, example.key(), with_facts({}, example.problem.axes)};
  here.facts["M"] = 63;
  outcome.entry = example.entry(3);
  Selector s = selector();
  EXPECT_EQ(configuration_text(std::get<Selected>(s.select(here)).record.values), "BLOCK=3");
  EXPECT_EQ(events, (Words{"unfit store", "autotune_start", "autotune_finish", "not_stored"}));
  EXPECT_EQ(details.back(), "BLOCK=2 stays, which was tuned for other lengths");
  EXPECT_EQ(select(s), "BLOCK=2 store");
  EXPECT_EQ(std::get<Selected>(s.select(here)).record.source, "memory");
  EXPECT_EQ(events.back(), "cache_hit memory");
  EXPECT_EQ(tunings, 1);
  EXPECT_EQ(configuration_text(store.find(example.key())->configuration), "BLOCK=2");
}

TEST_F(SelectionTest, OfASearchThatWasCutShortWithoutAnythingComparedAnotherIsMade) {
  TunedEntry cut = example.entry(3);
  cut.cut_short = "budget";
  cut.space = 7;
  cut.decided = Decision::only;
  store.put(cut);
  Selector plain = selector(SelectionPolicy::tuned);
  EXPECT_EQ(select(plain), "BLOCK=3 store");
  Selector s = selector();
  EXPECT_EQ(select(s), "BLOCK=2 autotune");
  EXPECT_EQ(select(s), "BLOCK=2 memory");
  Selector later = selector();
  EXPECT_EQ(select(later), "BLOCK=2 store");
  cut.decided = Decision::tied;
  cut.configuration = cut.heuristic->configuration;
  EXPECT_FALSE(store.put(cut));
  EXPECT_EQ(tunings, 1);
}

TEST_F(SelectionTest, ForARankServesWhatWasTunedForTheCallByItself) {
  Selector s = selector(SelectionPolicy::tuned);
  SelectionRequest rank = request();
  rank.key.context = "sharded";
  rank.key.shard = ShardPart{"M", 2};
  rank.alone = example.key();
  auto answer = s.select(rank);
  EXPECT_EQ(std::get<Selected>(answer).record.source, "heuristic");
  EXPECT_EQ(std::get<Selected>(answer).tried.at(3).find("nor for the call by itself: "), 0U);
  store.put(example.entry(2));
  answer = s.select(rank);
  EXPECT_EQ(std::get<Selected>(answer).record.key, short_key(example.key()));
  EXPECT_EQ(configuration_text(std::get<Selected>(answer).record.values), "BLOCK=2");
  TunedEntry of_ranks = example.entry(3);  // its key comes before that one
  of_ranks.parts = rank.key;
  store.put(of_ranks);
  answer = s.select(rank);
  EXPECT_EQ(configuration_text(std::get<Selected>(answer).record.values), "BLOCK=3");
}

TEST_F(SelectionTest, ARowOfTheHeuristicThatDoesNotFitIsSkippedAndSaid) {
  example.tunables.where.push_back({"BLOCK > M - 63", {}});
  example.tunables.heuristic[0].where = {"k.kbench.yaml", 4, 5, "", ""};
  Selector s = selector(SelectionPolicy::heuristic);
  const auto answer = s.select(request());
  const auto& selected = std::get<Selected>(answer);
  EXPECT_EQ(configuration_text(selected.record.values), "BLOCK=2");
  EXPECT_EQ(selected.tried.back(), details.front());
  EXPECT_EQ(events, (Words{"unfit heuristic", "heuristics"}));
  EXPECT_NE(details.front().find("BLOCK=1 (k.kbench.yaml:4) does not fit"), std::string::npos);
}

TEST_F(SelectionTest, TheConditionThatLeavesNothingIsNamedWithItsPlace) {
  example.tunables.heuristic.clear();
  example.tunables.where.push_back({"BLOCK > M", {"k.kbench.yaml", 3, 9, "", ""}});
  Selector s(SelectionPolicy::heuristic, nullptr);
  EXPECT_EQ(select(s),
            "NO_CONFIG: there is no configuration of blocked for scale: \"BLOCK > M\" holds for no "
            "values of BLOCK (k.kbench.yaml:3)");
}

TEST_F(SelectionTest, WhereTheStoreCannotBeWrittenItIsTunedAllTheSame) {
  folder.write("file", "x");
  const TunedStore blocked(folder.path() / "file" / "v1");
  Selector s(
      SelectionPolicy::autotune, &blocked, [this](const SelectionRequest&) { return outcome; },
      [this](const SelectionEvent& event) { events.push_back(event.event); });
  EXPECT_EQ(select(s), "BLOCK=2 autotune");
  EXPECT_EQ(events, (Words{"not_stored", "autotune_start", "autotune_finish"}));
  EXPECT_EQ(select(s), "BLOCK=2 memory");
}

TEST_F(SelectionTest, WithoutAStoreItIsRememberedAlone) {
  Selector s(SelectionPolicy::autotune, nullptr,
             [this](const SelectionRequest&) { return outcome; });
  EXPECT_EQ(select(s), "BLOCK=2 autotune");
  EXPECT_EQ(select(s), "BLOCK=2 memory");
}

TEST_F(SelectionTest, OfTwoThatWouldTuneOneWaitsAndTakesTheOthers) {
  Fd held = store.lock(example.key());
  Words said;
  Selector s(
      SelectionPolicy::autotune, &store,
      [this](const SelectionRequest&) {
        ++tunings;
        return outcome;
      },
      [&](const SelectionEvent& event) {
        said.push_back(event.event);
        if (event.event != "autotune_wait") return;
        store.put(example.entry(3));  // the other is done
        held.reset();
      });
  EXPECT_EQ(select(s), "BLOCK=3 store");
  EXPECT_EQ(said, (Words{"autotune_wait", "cache_hit"}));
  EXPECT_EQ(tunings, 0);
}

// Row S14 of whole selections: nothing is lost, and nothing is tuned twice.
TEST_F(SelectionTest, S14_EightProcessesTuneEachOfFiftyOnce) {
  constexpr int processes = 8;
  constexpr int lengths = 50;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    Selector s(SelectionPolicy::autotune, &store, [&](const SelectionRequest& request) {
      append_line(folder.path() / "tuned", short_key(request.key),
                  [](std::string_view) { return true; });
      return AutotuneResult{example.entry(3), {}};
    });
    bool is_good = true;
    for (int i = 0; i < lengths; ++i) {
      example.set_length(1 + (i + p * 7) % lengths);
      const std::string chosen = select(s);
      is_good = is_good && chosen.starts_with("BLOCK=3 ");
    }
    ::_exit(is_good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::string said = read_file(folder.path() / "tuned");
  std::set<std::string_view> keys;
  for (const std::string_view line : split(trim(said), '\n')) EXPECT_TRUE(keys.insert(line).second);
  EXPECT_EQ(keys.size(), static_cast<std::size_t>(lengths));
  EXPECT_EQ(list_store(store.root()).entries.size(), static_cast<std::size_t>(lengths));
}

TEST(SelectionEventLine, IsALineOfJson) {
  EXPECT_EQ(
      event_line({"cache_hit", "d", "s\n", "0123", "store", "BLOCK=2", "", ""}),
      R"({"event":"cache_hit","level":"store","definition":"d","solution":"s\n","key":"0123",)"
      "\"configuration\":\"BLOCK=2\"}\n");
}

}  // namespace
}  // namespace kbench
