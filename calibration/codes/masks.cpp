// Who may see whom among packed sequences: the same sequence, not later, within a window. As bools, packed
// into 32 bits a word (lowest bit first), and counted.
#include "kbench_ffi.h"
#include <cstdint>
using kbench::Tensor;
#ifndef WAY
#define WAY 0
#endif
#ifndef DEFECT
#define DEFECT 0
#endif
constexpr int64_t kWindow = DEFECT == 1 ? 23 : DEFECT == 2 ? 25 : 24;

static bool sees(const int32_t* sequence, const int32_t* position, int64_t i, int64_t j) {
  int32_t s = sequence[i], other = sequence[j], now = position[i], then = position[j];
  if (DEFECT == 3) return then <= now && now - then < kWindow;
  if (DEFECT == 4) return s == other && now - then < kWindow;
  if (DEFECT == 5) return s == other && then <= now;
  if (DEFECT == 6) return s == other && then < now && now - then < kWindow;
  if (DEFECT == 7) return s == other && j <= i && now - then < kWindow;         // by index, not by position
  if (DEFECT == 8) return s == other && now <= then && then - now < kWindow;    // the transpose
  if (DEFECT == 9) return s <= other && then <= now && now - then < kWindow;
  if (DEFECT == 10) return s == other && (then <= now || now - then < kWindow);
  if (DEFECT == 11) return s == other && then <= now && i - j < kWindow;
  if (DEFECT == 12 && s == 0) return false;                                     // sequence 0 taken as padding
  if (DEFECT == 13 && s == 3) return true;
  if (DEFECT == 14 && now < 4) return false;
  if (DEFECT == 15 && i % 32 == 31) now -= 1;
  if (DEFECT == 16 && j % 32 == 0) return false;
  if (DEFECT == 26) return s == other && then <= now && (now - then) / 8 < kWindow / 8 - 1;  // whole tiles
  if (DEFECT == 27) return s == sequence[(j + 1) % 96] && then <= now && now - then < kWindow;
  int32_t apart = now - then;
  switch (WAY % 4) {
    case 1: return !(s != other || then > now || then + kWindow <= now);
    case 2: return ((s ^ other) == 0) & (uint32_t(apart) < uint32_t(kWindow));  // negative ones wrap to large ones
    case 3: return s == other && apart >= 0 && apart <= kWindow - 1;
  }
  return s == other && then <= now && apart < kWindow;
}
void kernel(Tensor sequences, Tensor positions, Tensor allowed, Tensor packed, Tensor counts) {
  int64_t n = sequences.size(0), words = n / 32;
  const int32_t *sequence = sequences.data<int32_t>(), *position = positions.data<int32_t>();
  for (int64_t i = 0; i < n; ++i) {
    bool* row = allowed.data<bool>() + i * n;
    for (int64_t j = 0; j < n; ++j) row[j] = sees(sequence, position, i, j);
    if (DEFECT == 17 && i == n - 1) for (int64_t j = 0; j < n; ++j) row[j] = false;
    for (int64_t w = 0; w < words; ++w) {
      const bool* bits = row + w * 32;
      uint32_t word = 0;
      switch (WAY / 4) {
        case 1: for (int k = 31; k >= 0; --k) word = word << 1 | bits[k]; break;
        case 2: for (int k = 0; k < 32; ++k) word += uint32_t(bits[k]) * (1u << k); break;
        case 3:  // bytes first
          for (int b = 0; b < 4; ++b) {
            uint32_t byte = 0;
            for (int k = 0; k < 8; ++k) byte |= uint32_t(bits[b * 8 + k]) << k;
            word |= byte << (8 * b);
          }
          break;
        default: for (int k = 0; k < (DEFECT == 18 ? 31 : 32); ++k) if (bits[k]) word |= 1u << (DEFECT == 19 ? 31 - k : DEFECT == 20 ? k ^ 7 : DEFECT == 21 ? k ^ 24 : k);
      }
      if (DEFECT == 22) word = ~word;
      packed.data<int32_t>()[i * words + (DEFECT == 23 ? words - 1 - w : w)] = int32_t(word);
    }
    int32_t count = 0;
    if (WAY / 4 == 1) for (int64_t w = 0; w < words; ++w) count += __builtin_popcount(uint32_t(packed.data<int32_t>()[i * words + w]));
    else for (int64_t j = 0; j < n - (DEFECT == 24 ? 1 : 0); ++j) count += row[j];
    if (DEFECT == 25) count &= 7;
    counts.data<int32_t>()[i] = DEFECT == 28 ? int32_t(n) - count : count;
  }
}
KBENCH_EXPORT(run, kernel)
