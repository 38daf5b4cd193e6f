#include "worker/turns.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "base/parallel.hpp"

namespace kbench::worker {
namespace {

// Waits until `go` holds something else than `last`, and returns it.
std::uint64_t wait_for_go(Control& control, std::uint64_t last, bool spins) {
  for (;;) {
    const std::uint64_t now = read_word(control.go.value);
    if (now != last) return now;
    if (spins)
      pause_briefly();
    else
      wait_for_judge(control);
  }
}

void say_done(Control& control, std::uint64_t turn) {
  set_word(control.done.value, turn);
  wake_judge(control);
}

bool take(const Turns& turns, Turn turn) {
  switch (turn) {
    case Turn::copy:
      return turns.copy();
    case Turn::call:
      return turns.call();
    case Turn::epochs:
      return turns.epochs();
    case Turn::google_benchmark:
      return turns.google_benchmark && turns.google_benchmark();
    case Turn::fetch:
      return turns.fetch && turns.fetch();
    case Turn::ping:
    case Turn::end:
      break;
  }
  return true;
}

bool is_last(const Turns& turns, Turn turn) {
  return turn == Turn::end || turn == Turn::fetch || (turn == Turn::call && !turns.fetch);
}

}  // namespace

void wait_for_judge(const Control& control) {
  static std::uint32_t heard = 0;
  std::uint32_t now = heard;
  while ((now = __atomic_load_n(&control.bell, __ATOMIC_ACQUIRE)) == heard)
    ::syscall(SYS_futex, &control.bell, FUTEX_WAIT, heard, nullptr);
  heard = now;
}

void wake_judge(const Control& control) {
  const std::uint64_t one = 1;
  if (control.spins != 0) return;
  if (::write(done_fd, &one, sizeof one) < 0) std::_Exit(1);
}

bool take_turns(Control& control, const Turns& turns) {
  std::uint64_t go = read_word(control.go.value);
  set_word(control.armed.value, control.commanded);
  wake_judge(control);
  // The worker sleeps while the inputs come: so the judge sees that nobody looks at them meanwhile.
  for (bool spins = false;; spins = control.spins != 0) {
    go = wait_for_go(control, go, spins);
    const Turn turn = turn_of(go);
    const bool good = take(turns, turn);
    say_done(control, go);
    if (!good || is_last(turns, turn)) return good;
  }
}

}  // namespace kbench::worker
