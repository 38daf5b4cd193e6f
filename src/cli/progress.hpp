// The progress line of a run: what runs, done/total, time left, where steps are expected. On a
// terminal alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace kbench {

// One line that overwrites itself on stderr. Silent when progress is off.
class ProgressLine {
 public:
  ProgressLine(bool enabled, int width);
  ~ProgressLine();  // clears the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void expect(std::size_t steps);  // in all
  void show(const std::string& what);
  void advance(std::size_t steps);
  // Clears the line, so that something else can be printed; the next show() brings it back.
  void clear();

 private:
  std::size_t total_ = 0;
  bool enabled_;
  int width_;
  std::size_t done_ = 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
};

// "[3/12] what, 20 s left", cut to `width`. `seconds` have passed for `done` of `total`; of 0 it is
// `what` alone.
std::string progress_text(std::size_t done, std::size_t total, double seconds,
                          const std::string& what, int width);

}  // namespace kbench
