#include "emulate/runtime/matrix.hpp"

#include <kbench_emulation_wmma.h>

#include <cstring>

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {
namespace {

// What a lane brings to wmma's loads and stores: its fragment, and the matrix.
struct Tile {
  void* fragment;
  WmmaMatrix matrix;
};

const Tile& tile_of(const Exchange& exchange, unsigned lane) {
  return *static_cast<const Tile*>(exchange.lanes[lane].in);
}

// Element `i` of a lane is number lane + 32 i of the matrix, its rows one after the other.
template <bool is_store>
void move_tile(const Exchange& exchange) {
  const WmmaMatrix& matrix = tile_of(exchange, 0).matrix;
  const unsigned lines = matrix.by_columns ? matrix.columns : matrix.rows;
  const unsigned length = matrix.by_columns ? matrix.rows : matrix.columns;
  char* const memory = static_cast<char*>(matrix.memory);
  const std::size_t pitch = matrix.pitch * matrix.element;
  for (unsigned line = 0; line < lines; ++line)
    check_for_lane(line, {memory + line * pitch, length * matrix.element, matrix.element},
                   is_store ? Access::write : Access::read, exchange.place);
  for (unsigned number = 0; number < matrix.rows * matrix.columns; ++number) {
    const unsigned row = number / matrix.columns, column = number % matrix.columns;
    const unsigned line = matrix.by_columns ? column : row, at = matrix.by_columns ? row : column;
    char* const place = memory + line * pitch + at * matrix.element;
    char* const own =
        static_cast<char*>(tile_of(exchange, number % 32).fragment) + number / 32 * matrix.element;
    std::memcpy(is_store ? place : own, is_store ? own : place, matrix.element);
  }
}

// One that stands for other memory than a thread's own is no fragment.
void check_fragment(const void* fragment, unsigned numbers, std::size_t bytes, Place place) {
  check_access(fragment, numbers / 32 * bytes, 1, Access::read, place);
}

void check_matrix(const WmmaMatrix& matrix, Place place) {
  if (matrix.pitch * matrix.element % 16 != 0)
    fault("MISALIGNED", {place, nullptr},
          "a matrix whose lines are %zu bytes apart, which is no multiple of 16",
          matrix.pitch * matrix.element);
  if (reinterpret_cast<std::uintptr_t>(matrix.memory) % 16 != 0)
    fault("MISALIGNED", {place, nullptr}, "a matrix at an address that is no multiple of 16");
}

// Sums of integers need more bits than a float has.
template <typename Sum>
void multiply_tiles(const Exchange& exchange) {
  const auto of = [&](unsigned lane) -> const WmmaProduct& {
    return *static_cast<const WmmaProduct*>(exchange.lanes[lane].in);
  };
  const WmmaProduct& first = of(0);
  const unsigned m = first.m, n = first.n, k = first.k;
  Sum a[32 * 16], b[16 * 32], c[32 * 16];
  const PtxType factor{first.factor.kind, 8 * first.factor.bytes, 1};
  const PtxType result{first.sum.kind, 8 * first.sum.bytes, 1};
  const auto at = [](const void* fragment, unsigned i, PtxType type) {
    return static_cast<Sum>(number_at(fragment, i / 32, type));
  };
  for (unsigned i = 0; i < m * k; ++i) a[i] = at(of(i % 32).a, i, factor);
  for (unsigned i = 0; i < k * n; ++i) b[i] = at(of(i % 32).b, i, factor);
  for (unsigned i = 0; i < m * n; ++i) c[i] = at(of(i % 32).c, i, result);
  for (unsigned row = 0; row < m; ++row)
    for (unsigned depth = 0; depth < k; ++depth)
      for (unsigned column = 0; column < n; ++column)
        c[row * n + column] += a[row * k + depth] * b[depth * n + column];
  for (unsigned i = 0; i < m * n; ++i) set_number(of(i % 32).d, i / 32, result, c[i]);
}

}  // namespace

double number_at(const void* numbers, unsigned i, PtxType type) {
  const unsigned bytes = type.bits / 8;
  std::uint32_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(numbers) + i * bytes, bytes);
  if (type.kind == 'u') return bits;
  if (type.kind == 's') return bytes == 1 ? static_cast<signed char>(bits) : static_cast<int>(bits);
  return float_value(type.kind == 'T' ? bits & 0xffffe000 : bits, type);
}

void set_number(void* numbers, unsigned i, PtxType type, double x) {
  const std::uint64_t bits = type.kind == 's'
                                 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
                                 : float_bits(x, type, Round::nearest);
  std::memcpy(static_cast<char*>(numbers) + i * (type.bits / 8), &bits, type.bits / 8);
}

void wmma_load(void* fragment, const WmmaMatrix& matrix, Place place) {
  check_matrix(matrix, place);
  check_fragment(fragment, matrix.rows * matrix.columns, matrix.element, place);
  const Tile tile{fragment, matrix};
  collective(move_tile<false>, 0xffffffff, {&tile, nullptr, 0}, place);
}

void wmma_store(const void* fragment, const WmmaMatrix& matrix, Place place) {
  check_matrix(matrix, place);
  check_fragment(fragment, matrix.rows * matrix.columns, matrix.element, place);
  const Tile tile{const_cast<void*>(fragment), matrix};
  collective(move_tile<true>, 0xffffffff, {&tile, nullptr, 0}, place);
}

void wmma_multiply(const WmmaProduct& product, Place place) {
  check_fragment(product.a, product.m * product.k, product.factor.bytes, place);
  check_fragment(product.b, product.k * product.n, product.factor.bytes, place);
  check_fragment(product.c, product.m * product.n, product.sum.bytes, place);
  check_fragment(product.d, product.m * product.n, product.sum.bytes, place);
  collective(product.sum.kind == 's' ? multiply_tiles<double> : multiply_tiles<float>, 0xffffffff,
             {&product, nullptr, 0}, place);
}

}  // namespace kbench_emulation
