// Functions of CUDA's headers that few programs call: arithmetic on parts of a word, masks of
// comparisons, powers of two in eight bits, tiles of several warps.
#include <cooperative_groups.h>
#include <cuda_fp8.h>

#include <random>

#include "emulate/runtime/launching.hpp"

namespace {

using emulation_test::Call;

// Puts together work(a, b), computed part by part.
template <typename T, typename Work>
unsigned by_parts(unsigned x, unsigned y, Work work) {
  T a[4 / sizeof(T)], b[4 / sizeof(T)];
  memcpy(a, &x, 4);
  memcpy(b, &y, 4);
  for (size_t i = 0; i < 4 / sizeof(T); ++i) a[i] = static_cast<T>(work(a[i], b[i]));
  memcpy(&x, a, 4);
  return x;
}

TEST(Names, ArithmeticOnPartsOfAWord) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const unsigned x = static_cast<unsigned>(random()),
                   y = i % 3 == 0 ? x ^ 0x80 : x ^ (1u << i % 32);
    const auto clamped = [](int v, int low, int high) {
      return v < low ? low : v > high ? high : v;
    };
    EXPECT_EQ(__vadd4(x, y), (by_parts<int8_t>(x, y, [](int a, int b) { return a + b; })));
    EXPECT_EQ(__vsub2(x, y), (by_parts<int16_t>(x, y, [](int a, int b) { return a - b; })));
    EXPECT_EQ(
        __vaddss2(x, y),
        (by_parts<int16_t>(x, y, [&](int a, int b) { return clamped(a + b, -32768, 32767); })));
    EXPECT_EQ(__vsubus4(x, y),
              (by_parts<uint8_t>(x, y, [&](int a, int b) { return clamped(a - b, 0, 255); })));
    EXPECT_EQ(__vmaxs4(x, y), (by_parts<int8_t>(x, y, [](int a, int b) { return a > b ? a : b; })));
    EXPECT_EQ(__vminu2(x, y),
              (by_parts<uint16_t>(x, y, [](int a, int b) { return a < b ? a : b; })));
    EXPECT_EQ(__vabsdiffu4(x, y),
              (by_parts<uint8_t>(x, y, [](int a, int b) { return abs(a - b); })));
    EXPECT_EQ(__vcmpgtu4(x, y),
              (by_parts<uint8_t>(x, y, [](int a, int b) { return a > b ? 255 : 0; })));
    EXPECT_EQ(__vseteq2(x, y), (by_parts<uint16_t>(x, y, [](int a, int b) { return a == b; })));
    EXPECT_EQ(__vavgu4(x, y),
              (by_parts<uint8_t>(x, y, [](int a, int b) { return (a + b + 1) / 2; })));
  }
  EXPECT_EQ(__vabs4(0x80ff0102), 0x80010102u);
  EXPECT_EQ(__vabsss4(0x80ff0102), 0x7f010102u);
  EXPECT_EQ(__vneg2(0x00018000), 0xffff8000u);
  EXPECT_EQ(__dp2a_lo(0x00010001, 0x00000101, 0), 2);
  EXPECT_EQ(__dp2a_hi(static_cast<int>(0xffff0002), static_cast<int>(0xff050000), 10), 10 + 10 + 1);
  EXPECT_EQ(__dp2a_lo(0xffff0002u, 0x0000ff05u, 1u), 1u + 10 + 65535u * 255);
}

TEST(Names, MasksOfComparisonsAndNamesOutsideOfStd) {
  const __half2 a = __floats2half2_rn(1, 2), b = __floats2half2_rn(1, NAN);
  EXPECT_EQ(__hge2_mask(a, a), 0xffffffffu);
  EXPECT_EQ(__heq2_mask(a, b), 0xffffu);
  EXPECT_EQ(__hltu2_mask(a, b), 0xffff0000u);
  EXPECT_EQ(__hne2_mask(a, b), 0u);
  EXPECT_EQ(__hneu2_mask(a, b), 0xffff0000u);
  EXPECT_TRUE(isnan(NAN) && isinf(-INFINITY) && !isfinite(INFINITY) && signbit(-0.0f));
}

TEST(Names, PowersOfTwoInEightBits) {
  for (int i = 0; i < 255; ++i) {
    const float value = std::ldexp(1.0f, i - 127);
    EXPECT_EQ(__nv_fp8_e8m0(value).__x, i);
    EXPECT_EQ(static_cast<float>(__nv_fp8_e8m0(value)), value);
  }
  const auto bits = [](float x, cudaRoundMode how) {
    return __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, how);
  };
  EXPECT_EQ(bits(2.5f, cudaRoundPosInf), 129);
  EXPECT_EQ(bits(2.5f, cudaRoundZero), 128);
  EXPECT_EQ(bits(0.0f, cudaRoundPosInf), 0);
  EXPECT_EQ(bits(3e38f, cudaRoundPosInf), 254);
  EXPECT_EQ(bits(INFINITY, cudaRoundZero), 254);
  EXPECT_EQ(__nv_cvt_float_to_e8m0(INFINITY, __NV_NOSAT, cudaRoundZero), 255);
  EXPECT_EQ(bits(NAN, cudaRoundZero), 255);
}

__global__ void in_tiles(int* out, bool together) {
  KB_SHARED(int, row, [128]);
  const auto tile =
      cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block());
  row[threadIdx.x] = static_cast<int>(tile.meta_group_rank());
  if (together) tile.sync();
  const int mine = row[threadIdx.x ^ 63];
  const bool is_any = tile.any(threadIdx.x == 70);
  out[threadIdx.x] = mine * 4 + is_any * 2 + __uni_sync(0xffffffff, threadIdx.x < 32);
}

TEST(Names, TilesOfSeveralWarps) {
  std::vector<int> out(128);
  Call call;
  call.output(out, "out");
  for (int seed = 0; seed < emulation_test::orders; ++seed) {
    call.begin(static_cast<uint64_t>(seed));
    KB_LAUNCH((in_tiles), (1, 128), out.data(), true);
    EXPECT_EQ(out[3], 1);
    EXPECT_EQ(out[127], 7);
  }
  EXPECT_FAULT(KB_LAUNCH((in_tiles), (1, 128), out.data(), false), "RACE");
}

}  // namespace
