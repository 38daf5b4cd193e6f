#include "cli/shell/progress.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace kbench {
namespace {

const std::string uuid = "0ea9d291-da91-5bcb-83d6-6b384a4d817a";

OpenStage open(const std::string& name, const std::string& text, double begin_s) {
  return {nullptr, name, text, begin_s};
}

// Steps of which `done` took from 0 s on.
Ongoing steps(std::size_t done, std::size_t total) {
  return {{open("time", "measuring a of d", 10)}, "", done, total, 0};
}

TEST(Progress, SaysWhatAStageDoesToWhat) {
  EXPECT_EQ(stage_text({"build", "gemm", "", "torch_ext"}), "building torch_ext of gemm");
  EXPECT_EQ(stage_text({"reference", "gemm", uuid}),
            "evaluating the reference of gemm on 0ea9d291");
  EXPECT_EQ(stage_text({"time", "gemm", uuid, "a"}), "measuring a of gemm on 0ea9d291");
  EXPECT_EQ(stage_text({"contest", "gemm", uuid}), "comparing the solutions of gemm on 0ea9d291");
  EXPECT_EQ(stage_text({"machine"}), "measuring this machine");
  EXPECT_EQ(stage_text({"polish", "gemm", "", "a"}), "polish a of gemm");
}

TEST(Progress, NamesCannotMoveTheCursor) {
  EXPECT_EQ(stage_text({"build", "g", "", "a\033[2K"}).find('\033'), std::string::npos);
}

TEST(Progress, SaysWhatIsLeftOfTheStepsThatAreExpected) {
  EXPECT_EQ(progress_text(steps(0, 12), 10.9, 80), "[1/12] measuring a of d");
  EXPECT_EQ(progress_text(steps(2, 12), 12, 80), "[3/12] measuring a of d for 2 s, 1 min left");
  EXPECT_EQ(progress_text(steps(1, 6), 120, 80), "[2/6] measuring a of d for 2 min, 10 min left");
  EXPECT_EQ(progress_text(steps(1, 61), 120, 80), "[2/61] measuring a of d for 2 min, 2.0 h left");
  EXPECT_EQ(progress_text(steps(2, 12), 12, 12), "[3/12] meas");
  EXPECT_EQ(progress_text(steps(12, 12), 12, 80), "measuring a of d for 2 s");
}

TEST(Progress, WithoutStepsItIsWhatIsGoingOnAlone) {
  Ongoing work;
  EXPECT_EQ(progress_text(work, 3, 80), "");
  work.note = "many: 5 of 14 configurations";
  EXPECT_EQ(progress_text(work, 3, 80), "many: 5 of 14 configurations");
  work.open = {open("race", "racing configurations of many", 3)};
  EXPECT_EQ(progress_text(work, 3, 80),
            "racing configurations of many, many: 5 of 14 configurations");
}

TEST(Progress, OfSeveralAtOnceItNamesTheLast) {
  Ongoing work{{open("build", "building a", 0), open("build", "building b", 1)}, ""};
  EXPECT_EQ(progress_text(work, 1, 80), "building b and 1 other");
  work.open.push_back(open("build", "building c", 1));
  EXPECT_EQ(progress_text(work, 1, 80), "building c and 2 others");
  work.open.push_back(open("load", "loading d", 1));
  EXPECT_EQ(progress_text(work, 1, 80), "loading d");
}

TEST(Progress, OfWhatTakesLongItSaysSoLessAndLessOften) {
  const Ongoing work{{open("build", "building a", 100)}, ""};
  std::string said;
  for (int second = 100; second <= 100 + 250; ++second)
    said += overdue_text(work, second - 1, second);
  EXPECT_EQ(said,
            "building a has taken 5 s so far\n"
            "building a has taken 30 s so far\n"
            "building a has taken 1 min so far\n"
            "building a has taken 2 min so far\n"
            "building a has taken 4 min so far\n");
}

TEST(Progress, OfEachKindThatTakesLongThereIsALine) {
  const Ongoing work{{open("build", "building a", 0), open("build", "building b", 0.5),
                      open("build", "building c", 2), open("time", "measuring d", 0)},
                     ""};
  EXPECT_EQ(overdue_text(work, 4.6, 5.6),
            "building a and 1 other has taken 5 s so far\nmeasuring d has taken 5 s so far\n");
  EXPECT_EQ(overdue_text(work, 5.6, 6.6), "");
}

// A clock that moves when a test says so, and the text that was written.
struct World {
  double now_s = 100;
  std::string written = {};

  std::string take() { return std::exchange(written, ""); }
  Progress progress(ProgressMode mode) {
    return {mode, 80, [this] { return now_s; }, [this](const auto& text) { written += text; }};
  }
};

TEST(Progress, OverwritesALineAndErasesItForOtherOutput) {
  World world;
  Progress progress = world.progress(ProgressMode::line);
  progress.expect(2);
  const Stage build{"build", "d", "", "a"}, time{"time", "d", "", "a"};
  progress.begin(build);
  EXPECT_EQ(world.take(), "\r\033[2K[1/2] building a of d");
  world.now_s += 8;
  progress.tick();
  EXPECT_EQ(world.take(), "\r\033[2K[1/2] building a of d for 8 s");
  progress.beside([&] { world.written += "other\n"; });
  EXPECT_EQ(world.take(), "\r\033[2Kother\n");
  progress.end(build);
  EXPECT_EQ(world.take(), "");
  progress.begin(time);  // a stage too short to be seen
  EXPECT_EQ(world.take(), "");
  world.now_s += 3;
  progress.end(time);
  progress.advance(1);
  progress.begin(time);
  EXPECT_EQ(world.take(), "\r\033[2K[2/2] measuring a of d, 3 s left") << "without the build";
  progress.end(time);
  progress.tick();
  EXPECT_EQ(world.take(), "\r\033[2K") << "nothing is going on";
}

TEST(Progress, ShowsANoteUntilThereIsNone) {
  World world;
  Progress progress = world.progress(ProgressMode::line);
  progress.note("half of it");
  EXPECT_EQ(world.take(), "\r\033[2Khalf of it");
  progress.note("");
  EXPECT_EQ(world.take(), "\r\033[2K");
}

TEST(Progress, LeavesNoLineBehind) {
  World world;
  { world.progress(ProgressMode::line).note("half of it"); }
  EXPECT_EQ(world.take(), "\r\033[2Khalf of it\r\033[2K");
}

TEST(Progress, WithoutATerminalItWritesPlainLines) {
  World world;
  Progress progress = world.progress(ProgressMode::plain);
  const Stage stage{"build", "d", "", "a"};
  progress.begin(stage);
  progress.tick();
  progress.note("half of it");
  EXPECT_EQ(world.take(), "");
  world.now_s += 5;
  progress.tick();
  EXPECT_EQ(world.take(), "building a of d has taken 5 s so far\n");
  progress.end(stage);
  world.now_s += 60;
  progress.tick();
  EXPECT_EQ(world.take(), "");
}

TEST(Progress, OfNoneNothingIsWritten) {
  World world;
  Progress progress = world.progress(ProgressMode::none);
  const Stage stage{"build", "d", "", "a"};
  progress.begin(stage);
  world.now_s += 60;
  progress.tick();
  EXPECT_EQ(world.take(), "");
}

}  // namespace
}  // namespace kbench
