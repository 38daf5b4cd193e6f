#include "worker/google_benchmark/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "worker/hardware.hpp"

namespace kbench::worker {
namespace {

using nlohmann::json;

// A candidate without arguments whose call number `failing` fails; 0: none does.
struct Case {
  explicit Case(std::uint64_t failing, Repetitions asked) : failing_call(failing) {
    control->destination_passing = 1;
    control->repetitions = asked;
    candidate.load([this](Control&) { return EntryPoint{&count, this}; });
  }

  static int count(void* self, const TVMFFIAny*, std::int32_t, TVMFFIAny*) {
    auto& made = *static_cast<Case*>(self);
    return ++made.calls == made.failing_call ? -1 : 0;
  }
  std::string report() const { return {control->report, control->report_size}; }

  std::uint64_t failing_call;
  std::uint64_t calls = 0;
  std::unique_ptr<Control> control = std::make_unique<Control>();
  worker::Hardware processor;
  Candidate candidate{*control, {}, {}, processor};
};

TEST(GoogleBenchmark, WritesTheRepetitionsItWasAskedFor) {
  Case made(0, {3, 1e-4});
  ASSERT_TRUE(run_google_benchmark(*made.control, made.candidate));
  const json report = json::parse(made.report());
  std::uint64_t timed = 0;
  int runs = 0;
  std::set<std::uint64_t> calls;  // found in the first repetition; others may be quicker
  double longest_ns = 0;
  for (const json& entry : report.at("benchmarks")) {
    if (entry.at("run_type") != "iteration") continue;
    ++runs;
    timed += *calls.insert(entry.at("iterations").get<std::uint64_t>()).first;
    longest_ns = std::max(
        longest_ns, entry.at("real_time").get<double>() * entry.at("iterations").get<double>());
  }
  EXPECT_GE(longest_ns, 1e5 / 2);
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(made.control->sample_count, 3);
  EXPECT_GE(made.calls, timed);
  EXPECT_EQ(made.control->calls, made.calls) << "the judge counts them while they are made";
}

TEST(GoogleBenchmark, MakesNoCallAfterOneThatFailed) {
  Case made(2, {3, 1e-4});  // three calls at least, however long one takes on a busy machine
  EXPECT_FALSE(run_google_benchmark(*made.control, made.candidate));
  EXPECT_EQ(made.calls, 2U);
  EXPECT_EQ(made.control->report_size, 0U);
  EXPECT_EQ(made.control->sample_count, 0U);
}

TEST(GoogleBenchmark, RunsAgainInTheSameWorker) {
  Case made(0, {2, 1e-4});
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(run_google_benchmark(*made.control, made.candidate));
    EXPECT_EQ(json::parse(made.report()).at("benchmarks")[0].at("repetitions"), 2);
  }
}

TEST(GoogleBenchmark, HasRoomForAsManyRepetitionsAsThereMayBe) {
  Case made(0, {max_samples, 1e-9});
  ASSERT_TRUE(run_google_benchmark(*made.control, made.candidate));
  EXPECT_GT(made.control->report_size, 0U);
  EXPECT_LE(made.control->report_size, 3U * report_bytes / 4) << "longer numbers have room, too";
}

}  // namespace
}  // namespace kbench::worker
