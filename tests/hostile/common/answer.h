// The right answer to rmsnorm_h128 in memory of the candidate's own, and ways to hand it out.
#ifndef HOSTILE_ANSWER_H_
#define HOSTILE_ANSWER_H_

#include <chrono>
#include <vector>

#include "right.h"

using Answer = std::vector<uint16_t>;

inline Answer answer(const kbench::Tensor& x, const kbench::Tensor& weight) {
  const int64_t n = x.size(1);
  Answer out;
  for (int64_t row = 0; row < x.size(0); ++row) {
    const uint16_t* in = x.data<uint16_t>() + row * n;
    float squares = 0;
    for (int64_t i = 0; i < n; ++i) squares += widen(in[i]) * widen(in[i]);
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(n) + 1e-6f);
    for (int64_t i = 0; i < n; ++i)
      out.push_back(narrow(widen(in[i]) * scale * widen(weight.data<uint16_t>()[i])));
  }
  return out;
}

// Elements [begin, end).
inline void write(const Answer& from, const kbench::Tensor& to, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    static_cast<volatile uint16_t*>(to.data<uint16_t>())[i] = from[i];
}
inline void write(const Answer& from, const kbench::Tensor& to) { write(from, to, 0, from.size()); }

// Uses its core for so long.
inline void burn(int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

#endif  // HOSTILE_ANSWER_H_
