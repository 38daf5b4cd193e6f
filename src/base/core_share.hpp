// Whether a thread has its core for itself. The core's second hardware thread may be another
// program's, or another virtual machine's, which takes part of the core and which no load shows.
#pragma once

#include <optional>

namespace kbench {

// How long additions take that wait for nothing, beside a chain of multiplications each of which
// waits for the one before. A neighbour makes the additions up to twice as long and leaves the
// chain as it is; the clock frequency changes both alike. With the core alone the quotient differs
// by 0.5 % from look to look. A look takes 4 µs; nothing where it was interrupted.
std::optional<double> look_at_core();

// A core is shared where the quotient is more than this many times that of a core alone.
constexpr double most_of_alone = 1.03;

// Looks at both ends of what takes longer say nothing of what was between them; nanoseconds.
constexpr double longest_watched_ns = 500'000;

}  // namespace kbench
