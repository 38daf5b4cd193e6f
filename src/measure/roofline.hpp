// Bounds of a machine's speed: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful
// visual performance model for multicore architectures", CACM 52(4), 2009. No clock, no device:
// what the machine reached comes from machine/peaks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kbench {

// A rate of one core, and of all cores that a process may use.
struct Rate {
  double one = 0;
  double all = 0;

  // A program of several threads may at best be as fast as all cores.
  double of(int threads) const { return threads <= 1 ? one : all; }
};

// The rate for data of so many bytes that are used again and again: the smaller, the nearer to the
// core they stay.
struct Bandwidth {
  std::uint64_t bytes = 0;
  Rate bytes_per_second;
};

struct Peaks {
  std::vector<Bandwidth> bandwidth;  // the smallest bytes first; not empty
  Rate float32;                      // operations a second
  // Rates of the processor in 16 and 8 bits, as a multiple of float32: by its specification.
  double times_16_bit = 1;
  double times_8_bit = 1;
};

// Demand of one call on the machine.
struct Demand {
  std::uint64_t bytes = 0;         // bytes read and written
  std::uint64_t output_bytes = 0;  // bytes of these that are written
  std::optional<double> flops;     // nothing: they are not known
  int bits = 32;                   // width of the narrowest number calculated with: 32, 16, 8, 4
  int threads = 1;
  bool is_cold = false;  // the bytes are in no cache
};

struct Bound {
  double ns = 0;        // bound of a call, at the machine's own pace
  std::string_view by;  // "memory", or by which arithmetic: "float32", "16 bits", "8 bits"
  // Time that a call cannot stay below: half of what its outputs take to write, or, if more, a 64th
  // of all that the reference reads and calculates, in the narrowest numbers. A reference may do
  // what need not be done: of a mixture of experts all, where 8 of 256 are asked for.
  double least_ns = 0;
};

Bound bound_of(const Demand& demand, const Peaks& peaks);

// The better of two measurements of a machine, rate by rate: others on it only ever slow it. Sizes
// that only the second has are left out.
Rate best_of(const Rate& first, const Rate& second);
Peaks best_of(Peaks first, const Peaks& second);

}  // namespace kbench
