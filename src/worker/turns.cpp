#include "worker/turns.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/pause.hpp"

namespace kbench::worker {
namespace {

void say(Control& control, std::uint64_t& word, std::uint64_t value) {
  set_word(word, value);
  if (control.spins == 0) wake_judge();
}

}  // namespace

bool wait_for_judge() {
  std::uint64_t count = 0;
  ssize_t n = 0;
  do {
    n = ::read(go_fd, &count, sizeof count);
  } while (n < 0 && errno == EINTR);
  return n == sizeof count;
}

void wake_judge() {
  const std::uint64_t one = 1;
  if (::write(done_fd, &one, sizeof one) < 0) std::_Exit(1);
}

bool has_scratch(const Control& control) {
  return std::any_of(control.inputs, control.inputs + control.input_count,
                     [](const Argument& input) { return input.is_scratch != 0; });
}

std::uint64_t arm(Control& control) {
  const std::uint64_t last = read_word(control.go.value);
  say(control, control.armed.value, control.commanded);
  return last;
}

std::uint64_t wait_for_go(Control& control, std::uint64_t last) {
  for (;;) {
    const std::uint64_t now = read_word(control.go.value);
    if (now != last) return now;
    if (control.spins != 0) {
      pause_briefly();
    } else if (!wait_for_judge()) {
      std::_Exit(0);
    }
  }
}

void say_done(Control& control, std::uint64_t turn) { say(control, control.done.value, turn); }

}  // namespace kbench::worker
