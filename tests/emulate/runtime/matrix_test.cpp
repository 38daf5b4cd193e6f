// Matrix instructions: products of the fragments that the PTX ISA draws, beside products of whole
// matrices.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include <functional>
#include <random>

#include "emulate/runtime/launching.hpp"

namespace {

using emulation_test::Call;
using kbench_emulation::Operand;

// A shape of mma.sync, with the row and column of each element of a lane as the ISA's figures and
// formulas of that shape give them: groupID is lane / 4, threadID_in_group lane % 4.
struct Mma {
  const char* types;  // ".f32.f16.f16.f32"
  int m, n, k, bits;  // bits: those of an element of A and B
  std::function<int(int lane, int i)> a_row, a_column, b_row;
};

int group(int lane) { return lane / 4; }
int in_group(int lane) { return lane % 4; }

const std::vector<Mma>& shapes() {
  static const auto b16_row = [](int lane, int i) {
    return i == 0 || i == 1 || i == 4 || i == 5 ? group(lane) : group(lane) + 8;
  };
  static const auto b16_column = [](int lane, int i) {
    return in_group(lane) * 2 + (i & 1) + (i >= 4 ? 8 : 0);
  };
  static const auto b16_b_row = [](int lane, int i) {
    return in_group(lane) * 2 + (i & 1) + (i >= 2 ? 8 : 0);
  };
  static const auto k8_row = [](int lane, int i) { return i < 2 ? group(lane) : group(lane) + 8; };
  static const auto k8_column = [](int lane, int i) { return in_group(lane) * 2 + (i & 1); };
  static const auto tf32_row = [](int lane, int i) {
    return i == 0 || i == 2 ? group(lane) : group(lane) + 8;
  };
  static const auto tf32_column = [](int lane, int i) { return in_group(lane) + (i >= 2 ? 4 : 0); };
  static const auto tf32_b_row = [](int lane, int i) { return in_group(lane) + 4 * i; };
  static const auto b8_row = [](int lane, int i) {
    return i < 4 || (i >= 8 && i < 12) ? group(lane) : group(lane) + 8;
  };
  static const auto b8_column = [](int lane, int i) {
    return in_group(lane) * 4 + (i & 3) + (i < 8 ? 0 : 16);
  };
  static const auto b8_b_row = [](int lane, int i) {
    return in_group(lane) * 4 + (i & 3) + (i < 4 ? 0 : 16);
  };
  static const auto b8_short_row = [](int lane, int i) {
    return i < 4 ? group(lane) : group(lane) + 8;
  };
  static const auto b8_short_column = [](int lane, int i) { return in_group(lane) * 4 + (i & 3); };
  static const std::vector<Mma> all = {
      {".f32.f16.f16.f32", 16, 8, 16, 16, b16_row, b16_column, b16_b_row},
      {".f32.bf16.bf16.f32", 16, 8, 16, 16, b16_row, b16_column, b16_b_row},
      {".f16.f16.f16.f16", 16, 8, 16, 16, b16_row, b16_column, b16_b_row},
      {".f32.f16.f16.f32", 16, 8, 8, 16, k8_row, k8_column, k8_column},
      {".f32.bf16.bf16.f32", 16, 8, 8, 16, k8_row, k8_column, k8_column},
      {".f32.tf32.tf32.f32", 16, 8, 8, 32, tf32_row, tf32_column, tf32_b_row},
      {".f32.tf32.tf32.f32", 16, 8, 4, 32, tf32_row, tf32_column, tf32_b_row},
      {".s32.s8.s8.s32", 16, 8, 32, 8, b8_row, b8_column, b8_b_row},
      {".s32.u8.s8.s32", 16, 8, 32, 8, b8_row, b8_column, b8_b_row},
      {".f32.e4m3.e5m2.f32", 16, 8, 32, 8, b8_row, b8_column, b8_b_row},
      {".s32.s8.s8.s32", 16, 8, 16, 8, b8_short_row, b8_short_column, b8_short_column},
      {".s32.s8.u8.s32", 8, 8, 16, 8, b8_short_row, b8_short_column, b8_short_column},
  };
  return all;
}

// Small integers as elements of a type: every sum is exact.
uint32_t encoded(const std::string& type, int value) {
  if (type == "f16") return __half_as_ushort(__float2half(static_cast<float>(value)));
  if (type == "bf16") return __bfloat16_as_ushort(__float2bfloat16(static_cast<float>(value)));
  if (type == "tf32") return __float_as_uint(static_cast<float>(value));
  if (type == "e4m3")
    return __nv_cvt_float_to_fp8(static_cast<float>(value), __NV_SATFINITE, __NV_E4M3);
  if (type == "e5m2")
    return __nv_cvt_float_to_fp8(static_cast<float>(value), __NV_SATFINITE, __NV_E5M2);
  return static_cast<uint32_t>(value) & 0xff;
}

std::vector<std::string> words(const char* types) {
  std::vector<std::string> out;
  for (std::string rest = types + 1; !rest.empty();) {
    const size_t end = std::min(rest.find('.'), rest.size());
    out.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return out;
}

struct Registers {
  uint32_t a[4], b[2], c[4], d[4];
};
struct Counts {
  int a, b, c;
};

__global__ void multiply(const char* text, void** cache, Registers* lanes, Counts counts) {
  Registers mine = lanes[threadIdx.x];
  Operand operands[14];
  size_t used = 0;
  for (int i = 0; i < counts.c; ++i) operands[used++] = {"=r", &mine.d[i], 0, 4};
  for (int i = 0; i < counts.a; ++i) operands[used++] = {"r", nullptr, mine.a[i], 4};
  for (int i = 0; i < counts.b; ++i) operands[used++] = {"r", nullptr, mine.b[i], 4};
  for (int i = 0; i < counts.c; ++i) operands[used++] = {"r", nullptr, mine.c[i], 4};
  kbench_emulation::assemble({text, cache, kbench_emulation::here()}, operands, used);
  for (int i = 0; i < counts.c; ++i) lanes[threadIdx.x].d[i] = mine.d[i];
}

std::string operands_text(int first, int count) {
  std::string out = "{";
  for (int i = 0; i < count; ++i) out += (i == 0 ? "%" : ", %") + std::to_string(first + i);
  return out + "}";
}

struct Whole {
  int a[16][32], b[32][8], c[16][8];
};

Registers registers_of(const Mma& shape, const Whole& whole, int lane, const Counts& counts) {
  const auto types = words(shape.types);
  Registers out{};
  const int packed = 32 / shape.bits;
  for (int i = 0; i < counts.a * packed; ++i)
    out.a[i / packed] |= encoded(types[1], whole.a[shape.a_row(lane, i)][shape.a_column(lane, i)])
                         << i % packed * shape.bits;
  for (int i = 0; i < counts.b * packed; ++i)
    out.b[i / packed] |= encoded(types[2], whole.b[shape.b_row(lane, i)][group(lane)])
                         << i % packed * shape.bits;
  for (int i = 0; i < shape.m / 8 * 2; ++i) {
    const int value = whole.c[group(lane) + 8 * (i / 2)][in_group(lane) * 2 + i % 2];
    if (types[3] == "f16")
      out.c[i / 2] |= encoded("f16", value) << i % 2 * 16;
    else
      out.c[i] = types[3] == "f32" ? __float_as_uint(static_cast<float>(value))
                                   : static_cast<uint32_t>(value);
  }
  return out;
}

void expect_product(const Mma& shape) {
  const auto types = words(shape.types);
  const int packed = 32 / shape.bits;
  const Counts counts{shape.m * shape.k / 32 / packed, shape.k * shape.n / 32 / packed,
                      types[0] == "f16" ? 2 : shape.m / 8 * 2};
  std::mt19937 random(9);
  Whole whole{};
  const bool is_unsigned = types[1] == "u8" || types[2] == "u8";
  const auto any = [&] { return static_cast<int>(random() % 8) - (is_unsigned ? 0 : 4); };
  for (auto& row : whole.a)
    for (int& x : row) x = any();
  for (auto& row : whole.b)
    for (int& x : row) x = any();
  for (auto& row : whole.c)
    for (int& x : row) x = any();
  std::vector<Registers> lanes(32);
  for (int lane = 0; lane < 32; ++lane)
    lanes[static_cast<size_t>(lane)] = registers_of(shape, whole, lane, counts);
  const std::string text = "mma.sync.aligned.m" + std::to_string(shape.m) + "n8k" +
                           std::to_string(shape.k) + ".row.col" + shape.types + " " +
                           operands_text(0, counts.c) + ", " + operands_text(counts.c, counts.a) +
                           ", " + operands_text(counts.c + counts.a, counts.b) + ", " +
                           operands_text(counts.c + counts.a + counts.b, counts.c) + ";";
  void* cache = nullptr;
  std::vector<Registers> before = lanes;
  Call().output(lanes, "lanes").begin(5);
  cudaMemcpy(lanes.data(), before.data(), sizeof(Registers) * 32, cudaMemcpyDefault);
  KB_LAUNCH((multiply), (1, 32), text.c_str(), &cache, lanes.data(), counts);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < shape.m / 8 * 2; ++i) {
      const int row = group(lane) + 8 * (i / 2), column = in_group(lane) * 2 + i % 2;
      int sum = whole.c[row][column];
      for (int k = 0; k < shape.k; ++k) sum += whole.a[row][k] * whole.b[k][column];
      const uint32_t* const d = lanes[static_cast<size_t>(lane)].d;
      const double got =
          types[0] == "f16"
              ? __half2float(__ushort_as_half(static_cast<unsigned short>(d[i / 2] >> i % 2 * 16)))
          : types[0] == "f32" ? __uint_as_float(d[i])
                              : static_cast<int>(d[i]);
      ASSERT_EQ(got, sum) << text << " lane " << lane << " element " << i;
    }
}

TEST(Matrix, ProductsOfAllShapes) {
  for (const Mma& shape : shapes()) expect_product(shape);
}

__global__ void transpose(const unsigned short* in, unsigned short* out, bool with_trans) {
  KB_SHARED(unsigned short, tile, [8 * 8 * 4]);
  for (unsigned i = threadIdx.x; i < 256; i += 32) tile[i] = in[i];
  __syncwarp();
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(tile + 8 * threadIdx.x));
  unsigned r[4];
  if (with_trans)
    KB_ASM("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];",
           kbench_emulation::out("=r", r[0]), kbench_emulation::out("=r", r[1]),
           kbench_emulation::out("=r", r[2]), kbench_emulation::out("=r", r[3]),
           kbench_emulation::in("r", row));
  else
    KB_ASM("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];",
           kbench_emulation::out("=r", r[0]), kbench_emulation::out("=r", r[1]),
           kbench_emulation::out("=r", r[2]), kbench_emulation::out("=r", r[3]),
           kbench_emulation::in("r", row));
  for (unsigned m = 0; m < 4; ++m)
    for (unsigned half = 0; half < 2; ++half)
      out[64 * m + 8 * (threadIdx.x / 4) + threadIdx.x % 4 * 2 + half] =
          static_cast<unsigned short>(r[m] >> 16 * half);
}

TEST(Matrix, RowsOfSharedMemoryToFragments) {
  std::vector<unsigned short> in(256), out(256);
  for (size_t i = 0; i < 256; ++i) in[i] = static_cast<unsigned short>(i);
  for (const bool with_trans : {false, true})
    for (int seed = 0; seed < emulation_test::orders; ++seed) {
      Call().input(in, "in").output(out, "out").begin(static_cast<uint64_t>(seed));
      KB_LAUNCH((transpose), (1, 32), in.data(), out.data(), with_trans);
      for (size_t m = 0; m < 4; ++m)
        for (size_t row = 0; row < 8; ++row)
          for (size_t column = 0; column < 8; ++column)
            ASSERT_EQ(out[64 * m + 8 * row + column],
                      with_trans ? in[64 * m + 8 * column + row] : in[64 * m + 8 * row + column]);
    }
}

__global__ void by_wmma(const __half* a, const __half* b, float* c, unsigned pitch) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  KB_SHARED(float, tile, [16 * 16]);
  wmma::fill_fragment(sum, 1.0f);
  wmma::load_matrix_sync(left, a, pitch);
  wmma::load_matrix_sync(right, b, pitch);
  wmma::mma_sync(sum, left, right, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2.0f;
  wmma::store_matrix_sync(tile, sum, 16, wmma::mem_row_major);
  __syncwarp();
  for (unsigned i = threadIdx.x; i < 256; i += 32) c[i] = tile[i];
}

TEST(Matrix, TilesOfWmma) {
  std::vector<__half> a(16 * 24), b(16 * 24);
  std::vector<float> c(256);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i % 7) - 3;
    b[i] = static_cast<float>(i % 5) - 2;
  }
  for (int seed = 0; seed < emulation_test::orders; ++seed) {
    Call().input(a, "a").input(b, "b").output(c, "c").begin(static_cast<uint64_t>(seed));
    KB_LAUNCH((by_wmma), (1, 32), a.data(), b.data(), c.data(), 24u);
    for (size_t row = 0; row < 16; ++row)
      for (size_t column = 0; column < 16; ++column) {
        float sum = 1;
        for (size_t k = 0; k < 16; ++k)
          sum += static_cast<float>(a[row * 24 + k]) * static_cast<float>(b[column * 24 + k]);
        ASSERT_EQ(c[row * 16 + column], 2 * sum);
      }
  }
  __half* guarded = nullptr;
  ASSERT_EQ(cudaMalloc(&guarded, 768), cudaSuccess);
  ASSERT_EQ(cudaMemset(guarded, 0, 768), cudaSuccess);
  EXPECT_FAULT(KB_LAUNCH((by_wmma), (1, 32), a.data(), guarded + 128, c.data(), 24u),
               "OUT_OF_BOUNDS read of 32 bytes .* of cudaMalloc");
  EXPECT_EQ(cudaFree(guarded), cudaSuccess);
  EXPECT_FAULT(KB_LAUNCH((by_wmma), (1, 32), a.data() + 1, b.data(), c.data(), 24u),
               "MISALIGNED a matrix");
}

}  // namespace
