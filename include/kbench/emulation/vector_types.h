// SPDX-License-Identifier: Apache-2.0
// Short vectors of CUDA, with the alignments that its programming guide lists.
#ifndef KBENCH_EMULATION_VECTOR_TYPES_H_
#define KBENCH_EMULATION_VECTOR_TYPES_H_

#include <kbench_emulation.h>

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#define KB_VECTORS(type, name, of_two, of_four)                               \
  struct name##1 {                                                            \
    type x;                                                                   \
  };                                                                          \
  struct alignas(of_two) name##2 {                                            \
    type x, y;                                                                \
  };                                                                          \
  KB_THREE(type, name)                                                        \
  struct alignas(of_four) name##4 {                                           \
    type x, y, z, w;                                                          \
  };                                                                          \
  inline name##1 make_##name##1(type x) { return {x}; }                       \
  inline name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
#define KB_THREE(type, name) \
  struct name##3 {           \
    type x, y, z;            \
  };
KB_VECTORS(signed char, char, 2, 4)
KB_VECTORS(unsigned char, uchar, 2, 4)
KB_VECTORS(short, short, 4, 8)
KB_VECTORS(unsigned short, ushort, 4, 8)
KB_VECTORS(int, int, 8, 16)
KB_VECTORS(long, long, 16, 16)
KB_VECTORS(unsigned long, ulong, 16, 16)
KB_VECTORS(long long, longlong, 16, 16)
KB_VECTORS(unsigned long long, ulonglong, 16, 16)
KB_VECTORS(float, float, 8, 16)
KB_VECTORS(double, double, 16, 16)
#undef KB_THREE
#define KB_THREE(type, name)  // uint3 is in kbench_emulation.h
KB_VECTORS(unsigned, uint, 8, 16)
#undef KB_THREE
#undef KB_VECTORS

#endif  // KBENCH_EMULATION_VECTOR_TYPES_H_
