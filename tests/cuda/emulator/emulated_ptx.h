// SPDX-License-Identifier: Apache-2.0
// Words of solutions/kbench/common/ptx.cuh, there inline PTX, on the emulator: asynchronous copies,
// ldmatrix, and mma.m16n8k16 by the fragments' layouts of the PTX ISA.
#ifndef KBENCH_EMULATED_PTX_H_
#define KBENCH_EMULATED_PTX_H_

#include "cuda_bf16.h"
#include "cuda_fp16.h"

inline void copy16_async(void* to, const void* from, int bytes) {
  if ((reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % 16 != 0)
    emulation::fail("cp.async of 16 bytes from or to a place that is no multiple of 16");
  emulation::start_copy(to, from, 16, static_cast<size_t>(bytes));
}
inline void close_copies() { emulation::close_copies(); }
template <int kOpen>
void await_copies() {
  emulation::await_copies(kOpen);
}

namespace emulation {

// Rows in the same banks give no wrong answer, only a slow one: the tiles are swizzled against it.
inline void check_banks(const Lane* lanes) {
  for (int matrix = 0; matrix < 4; ++matrix) {
    unsigned groups = 0;  // groups of four banks, 16 bytes of a row each
    for (int row = 0; row < 8; ++row)
      groups |= 1u << reinterpret_cast<uintptr_t>(lanes[8 * matrix + row].in) / 16 % 8;
    if (groups != 0xff) fail("ldmatrix of eight rows of which some are in the same banks");
  }
}

}  // namespace emulation

// Lanes 8 m to 8 m + 7 give the rows of matrix m; lane i gets elements 2 (i % 4) and the next of
// row i / 4 of each matrix.
inline void load_matrices(uint32_t (&fragment)[4], const void* row) {
  const auto load = [](const emulation::Lane* lanes, uint32_t) {
    emulation::check_banks(lanes);
    for (int lane = 0; lane < 32; ++lane)
      for (int matrix = 0; matrix < 4; ++matrix) {
        const void* from = lanes[8 * matrix + lane / 4].in;
        std::memcpy(static_cast<uint32_t*>(lanes[lane].out) + matrix,
                    static_cast<const char*>(from) + lane % 4 * 4, 4);
      }
  };
  if (reinterpret_cast<uintptr_t>(row) % 16 != 0)
    emulation::fail("ldmatrix of a row that does not begin at a multiple of 16");
  emulation::collective(load, 0xffffffff, {row, fragment, 0});
}

namespace emulation {

inline float to_float(__half x) { return __half2float(x); }
inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }

struct Fragments {
  const uint32_t* a;  // four registers of two elements
  const uint32_t* b;  // two registers of two elements
  float* c;           // four elements
};

template <typename T>
float element(const uint32_t* registers, int which, int half) {
  T value;
  std::memcpy(&value, reinterpret_cast<const char*>(registers + which) + 2 * half, 2);
  return to_float(value);
}

template <typename T>
void multiply_fragments(const Lane* lanes, uint32_t) {
  float a[16][16], b[16][8], c[16][8] = {};
  const auto of = [lanes](int lane) { return static_cast<const Fragments*>(lanes[lane].in); };
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {
      const int k = lane % 4 * 2 + i % 2 + i / 4 * 8;
      a[lane / 4 + i / 2 % 2 * 8][k] = element<T>(of(lane)->a, i / 2, i % 2);
      if (i / 2 % 2 == 0) b[k][lane / 4] = element<T>(of(lane)->b, i / 4, i % 2);
    }
  for (int row = 0; row < 16; ++row)
    for (int k = 0; k < 16; ++k)
      for (int column = 0; column < 8; ++column) c[row][column] += a[row][k] * b[k][column];
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) of(lane)->c[i] += c[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
}

}  // namespace emulation

// Computes c += a b of a 16 x 16 and a 16 x 8 tile, the columns of b as rows of 16.
template <typename T>
void multiply_add(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  const emulation::Fragments fragments{a, b, c};
  emulation::collective(emulation::multiply_fragments<T>, 0xffffffff, {&fragments, nullptr, 0});
}

#endif  // KBENCH_EMULATED_PTX_H_
