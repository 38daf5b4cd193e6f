// What ^C and SIGTERM do to a command that judges.
#pragma once

#include <atomic>

namespace kbench {

// ^C was pressed, once watch_interrupts() was called; a second one ends the program.
const std::atomic<bool>& interrupted();
void watch_interrupts();
// Stops what is judged as an interrupt would, and says nothing.
void stop_work();
// Whether there is nothing in hand that an interrupt would have to wait for.
void set_idle(bool is_idle);

}  // namespace kbench
