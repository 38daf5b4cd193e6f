#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace kbench {
namespace {

std::string left_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min left", seconds / 60);
  return fmt::format("{:.1f} h left", seconds / 3600);
}

void write_stderr(const std::string& text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // a progress line may be lost
}

}  // namespace

std::string progress_text(std::size_t done, std::size_t total, double seconds,
                          const std::string& what, int width) {
  std::string text = total == 0 ? what : fmt::format("[{}/{}] {}", done + 1, total, what);
  if (done > 0) {
    text +=
        ", " + left_text(seconds / static_cast<double>(done) * static_cast<double>(total - done));
  }
  const auto room = static_cast<std::size_t>(width > 1 ? width - 1 : 1);
  if (text.size() > room) text.resize(room);
  return text;
}

ProgressLine::ProgressLine(bool enabled, int width)
    : enabled_(enabled), width_(width), begin_(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::expect(std::size_t steps) { total_ = steps; }

void ProgressLine::show(const std::string& what) {
  const bool is_over = total_ > 0 && done_ >= total_;
  if (!enabled_ || is_over) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  write_stderr("\r\033[2K" + progress_text(done_, total_, seconds, what, width_));
  shown_ = true;
}

void ProgressLine::advance(std::size_t steps) { done_ += steps; }

void ProgressLine::clear() {
  if (shown_) write_stderr("\r\033[2K");
  shown_ = false;
}

}  // namespace kbench
