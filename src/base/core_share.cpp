#include "base/core_share.hpp"

#include <time.h>

#include <algorithm>
#include <cstdint>

namespace kbench {
namespace {

double now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// As many additions at a time as a core has adders.
void fill_core() {
  constexpr int rounds = 4000;
  std::uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  for (int i = 0; i < rounds; ++i) {
    ++a, ++b, ++c, ++d, ++e, ++f;
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
  }
}

void follow_chain() {
  constexpr int steps = 1000;
  std::uint64_t x = 1;
  for (int i = 0; i < steps; ++i) {
    x *= 0x9E3779B97F4A7C15U;
    asm volatile("" : "+r"(x));
  }
}

}  // namespace

std::optional<double> look_at_core() {
  constexpr double agree = 1.03;  // the clock's steps are 2 % of a chain
  const double begin = now_ns();
  follow_chain();
  const double filling = now_ns();
  fill_core();
  const double filled = now_ns();
  follow_chain();
  const double end = now_ns();
  const auto [quick, slow] = std::minmax({filling - begin, end - filled});
  if (quick <= 0 || slow > agree * quick) return std::nullopt;
  return (filled - filling) / quick;
}

}  // namespace kbench
