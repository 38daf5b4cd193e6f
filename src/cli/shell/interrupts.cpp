#include "cli/shell/interrupts.hpp"

#include <signal.h>
#include <unistd.h>

#include <string_view>

namespace kbench {
namespace {

std::atomic<bool> is_interrupted{false};
std::atomic<bool> has_nothing_in_hand{false};

void on_interrupt(int) {
  const std::string_view text =
      has_nothing_in_hand
          ? "\n"
          : "\nkbench: interrupted: the record in hand is finished; once more ends at once\n";
  is_interrupted = true;
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody reads it
}

}  // namespace

const std::atomic<bool>& interrupted() { return is_interrupted; }

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = &on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

void stop_work() { is_interrupted = true; }

void set_idle(bool is_idle) { has_nothing_in_hand = is_idle; }

}  // namespace kbench
