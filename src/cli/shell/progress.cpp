#include "cli/shell/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "cli/shell/command.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;

constexpr double between_draws_s = 0.1;  // shorter ones are not seen

// Words for a stage of each name: its verb, and its object, where that is no solution.
struct StageWords {
  std::string_view name, verb, object = "";
};
constexpr StageWords words_of_stages[] = {
    {"build", "building"},
    {"reference", "evaluating", "the reference"},
    {"load", "loading"},
    {"judge", "judging"},
    {"time", "measuring"},
    {"audit", "auditing"},
    {"contest", "comparing", "the solutions"},
    {"race", "racing configurations of"},
    {"gradients", "checking gradients of"},
    {"shards", "judging shards of"},
    {"machine", "measuring", "this machine"},
};

std::string age_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

// Stages of another name may be parts of this one.
std::string with_others(const OpenStage& one, const std::vector<OpenStage>& open) {
  const auto others = std::count_if(open.begin(), open.end(),
                                    [&](const OpenStage& it) { return it.name == one.name; }) -
                      1;
  if (others == 0) return one.text;
  return fmt::format("{} and {} {}", one.text, others, others == 1 ? "other" : "others");
}

// The last age of a stage at which something is said of it; 0: it is too young.
double last_said(double age_s) {
  if (age_s < 30) return age_s < 5 ? 0 : 5;
  double said = 30;
  while (2 * said <= age_s) said *= 2;
  return said;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_stderr(const std::string& text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // a progress line may be lost
}

// Ticks once a second; not more often, since it may do so on a core where a solution is measured.
void tick_until(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, stop, 1s, [&] { return stop.stop_requested(); })) progress().tick();
}

}  // namespace

std::string stage_text(const Stage& stage) {
  const auto* const words = std::find_if(std::begin(words_of_stages), std::end(words_of_stages),
                                         [&](const auto& one) { return one.name == stage.name; });
  const bool is_known = words != std::end(words_of_stages);
  std::string text(is_known ? words->verb : stage.name);
  text += fmt::format(" {}", is_known && !words->object.empty() ? words->object : stage.solution);
  if (!stage.definition.empty()) text += " of " + stage.definition;
  if (!stage.workload.empty()) text += " on " + stage.workload.substr(0, 8);
  return printable(text);
}

std::string progress_text(const Ongoing& work, double now_s, int width) {
  if (work.open.empty() && work.note.empty()) return "";
  std::string text;
  if (work.done < work.total) text = fmt::format("[{}/{}] ", work.done + 1, work.total);
  if (!work.open.empty()) {
    const OpenStage& last = work.open.back();
    text += with_others(last, work.open);
    if (now_s - last.begin_s >= 1) text += " for " + age_text(now_s - last.begin_s);
    if (!work.note.empty()) text += ", ";
  }
  text += work.note;
  if (work.done > 0 && work.done < work.total)
    text +=
        fmt::format(", {} left", age_text((now_s - work.begin_s) / static_cast<double>(work.done) *
                                          static_cast<double>(work.total - work.done)));
  const auto room = static_cast<std::size_t>(std::max(width - 1, 1));
  if (text.size() > room) text.resize(room);
  return text;
}

std::string overdue_text(const Ongoing& work, double before_s, double now_s) {
  std::vector<OpenStage> due;
  std::copy_if(work.open.begin(), work.open.end(), std::back_inserter(due), [&](const auto& one) {
    return last_said(now_s - one.begin_s) > last_said(before_s - one.begin_s);
  });
  std::string text;
  std::set<std::string> said;
  for (const OpenStage& one : due)
    if (said.insert(one.name).second)
      text += fmt::format("{} has taken {} so far\n", with_others(one, due),
                          age_text(last_said(now_s - one.begin_s)));
  return text;
}

Progress::Progress(ProgressMode mode, int width, std::function<double()> now_s,
                   std::function<void(const std::string& text)> write)
    : mode_(mode), width_(width), now_s_(std::move(now_s)), write_(std::move(write)) {}

void Progress::expect(std::size_t steps) {
  const std::lock_guard lock(mutex_);
  work_.done = 0;
  work_.total = steps;
  work_.begin_s = now_s_();
}

void Progress::advance(std::size_t steps) {
  const std::lock_guard lock(mutex_);
  work_.done += steps;
}

void Progress::note(std::string text) {
  const std::lock_guard lock(mutex_);
  work_.note = std::move(text);
  draw();
}

void Progress::begin(const Stage& stage) {
  const std::lock_guard lock(mutex_);
  work_.open.push_back({&stage, stage.name, stage_text(stage), now_s_()});
  draw();
}

void Progress::end(const Stage& stage) {
  const std::lock_guard lock(mutex_);
  std::erase_if(work_.open, [&](const OpenStage& one) { return one.stage == &stage; });
  // The time of all builds says nothing of how long a step takes.
  if (work_.done == 0 && stage.name == "build") work_.begin_s = now_s_();
}

void Progress::tick() {
  const std::lock_guard lock(mutex_);
  draw();
  const double now_s = now_s_();
  const std::string text = overdue_text(work_, std::exchange(ticked_s_, now_s), now_s);
  if (mode_ == ProgressMode::plain && !text.empty()) write_(text);
}

void Progress::beside(const std::function<void()>& write) {
  const std::lock_guard lock(mutex_);
  erase();
  write();
}

void Progress::draw() {
  if (mode_ != ProgressMode::line) return;
  const double now_s = now_s_();
  const std::string text = progress_text(work_, now_s, width_);
  if (text.empty()) return erase();
  if (now_s - drawn_s_ < between_draws_s) return;
  write_("\r\033[2K" + text);
  drawn_s_ = now_s;
  shown_ = true;
}

void Progress::erase() {
  if (shown_) write_("\r\033[2K");
  shown_ = false;
}

Progress& progress() {
  static Progress one(terminal().quiet      ? ProgressMode::none
                      : terminal().progress ? ProgressMode::line
                                            : ProgressMode::plain,
                      terminal().width > 0 ? terminal().width : 80, &steady_seconds, &write_stderr);
  return one;
}

StageEvents shown(StageEvents events) {
  if (terminal().quiet) return events;
  Progress& shown = progress();
  static const std::jthread ticker(&tick_until);  // ends before what it ticks
  events.begun = [&shown](const Stage& stage) { shown.begin(stage); };
  events.over = [&shown, over = std::move(events.over)](const Stage& stage, double begin_ns,
                                                        double end_ns) {
    shown.end(stage);
    if (over) over(stage, begin_ns, end_ns);
  };
  return events;
}

}  // namespace kbench
