// Progress of long work: a line on a terminal that overwrites itself, else a plain line about what
// takes long. The program has one of it, fed by the stages.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "judge/stage.hpp"

namespace kbench {

struct OpenStage {
  const Stage* stage;  // its identity; it is not read
  std::string name, text;
  double begin_s;
};

// Stages and steps going on.
struct Ongoing {
  std::vector<OpenStage> open;      // ordered by their beginning
  std::string note;                 // state of a search; "": nobody says it
  std::size_t done = 0, total = 0;  // steps; 0: nobody knows how many there are
  double begin_s = 0;               // beginning of the steps
};

// "measuring my_kernel of rmsnorm_h128 on 0ea9d291"
std::string stage_text(const Stage& stage);

// "[3/12] building my_kernel of gemm and 2 others for 7 s, 20 s left", cut to `width`; "" where
// nothing is going on.
std::string progress_text(const Ongoing& work, double now_s, int width);

// "building my_kernel of gemm has taken 30 s so far", a line for each name: its stage that came
// since `before_s` to an age of 5 s, of 30 s, or of twice what was said last. "": none did.
std::string overdue_text(const Ongoing& work, double before_s, double now_s);

enum class ProgressMode { none, plain, line };

// Several threads may call it at once.
class Progress {
 public:
  Progress(ProgressMode mode, int width, std::function<double()> now_s,
           std::function<void(const std::string& text)> write);
  ~Progress() { erase(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void expect(std::size_t steps);  // sets the total, from now on
  void advance(std::size_t steps);
  void note(std::string text);
  void begin(const Stage& stage);
  void end(const Stage& stage);
  void tick();  // wants a call about once a second
  // Writes something else where the line is, which comes back after it.
  void beside(const std::function<void()>& write);

 private:
  void draw();
  void erase();

  const ProgressMode mode_;
  const int width_;
  const std::function<double()> now_s_;
  const std::function<void(const std::string& text)> write_;
  std::mutex mutex_;
  Ongoing work_;
  double drawn_s_ = 0, ticked_s_ = 0;
  bool shown_ = false;
};

// The program's own, on stderr, as terminal() says.
Progress& progress();

// Has the program's progress told of all stages, beside the one told when they are over.
StageEvents shown(StageEvents events);

}  // namespace kbench
