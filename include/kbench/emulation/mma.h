// SPDX-License-Identifier: Apache-2.0
// Namespace nvcuda::wmma: tiles of matrices that a warp multiplies. Sums are of float, each product
// and sum rounded to float in turn; a device adds in another order.
#ifndef KBENCH_EMULATION_MMA_H_
#define KBENCH_EMULATION_MMA_H_

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kbench_emulation_wmma.h>

namespace nvcuda::wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

template <typename T>
struct ElementOf {
  using type = T;
};
template <>
struct ElementOf<precision::tf32> {
  using type = float;
};

template <typename Use, int m, int n, int k>
struct TileSize;
template <int m, int n, int k>
struct TileSize<matrix_a, m, n, k> {
  static constexpr int rows = m, columns = k;
};
template <int m, int n, int k>
struct TileSize<matrix_b, m, n, k> {
  static constexpr int rows = k, columns = n;
};
template <int m, int n, int k>
struct TileSize<accumulator, m, n, k> {
  static constexpr int rows = m, columns = n;
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment {
 public:
  using element_type = typename ElementOf<T>::type;
  using storage_element_type = element_type;
  static constexpr int rows = TileSize<Use, m, n, k>::rows;
  static constexpr int columns = TileSize<Use, m, n, k>::columns;
  static constexpr int num_elements = rows * columns / 32;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

template <typename F>
kbench_emulation::WmmaMatrix kb_matrix(const void* memory, unsigned pitch, bool by_columns) {
  return {const_cast<void*>(memory),         pitch,
          sizeof(typename F::element_type),  static_cast<unsigned>(F::rows),
          static_cast<unsigned>(F::columns), by_columns};
}

template <typename Use, int m, int n, int k, typename T, typename Layout>
KB_DEVICE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& to,
                                const typename ElementOf<T>::type* from, unsigned pitch, KB_FROM) {
  kbench_emulation::wmma_load(
      to.x,
      kb_matrix<fragment<Use, m, n, k, T, Layout>>(from, pitch, std::is_same_v<Layout, col_major>),
      KB_PLACE);
}
template <int m, int n, int k, typename T>
KB_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T>& to, const T* from,
                                unsigned pitch, layout_t layout, KB_FROM) {
  kbench_emulation::wmma_load(
      to.x, kb_matrix<fragment<accumulator, m, n, k, T>>(from, pitch, layout == mem_col_major),
      KB_PLACE);
}
template <int m, int n, int k, typename T>
KB_DEVICE void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& from,
                                 unsigned pitch, layout_t layout, KB_FROM) {
  kbench_emulation::wmma_store(
      from.x, kb_matrix<fragment<accumulator, m, n, k, T>>(to, pitch, layout == mem_col_major),
      KB_PLACE);
}
template <typename Use, int m, int n, int k, typename T, typename Layout, typename V>
KB_DEVICE void fill_fragment(fragment<Use, m, n, k, T, Layout>& fragment, const V& value) {
  for (auto& element : fragment.x) element = static_cast<typename ElementOf<T>::type>(value);
}

using KbNumber = kbench_emulation::WmmaNumber;
constexpr KbNumber kb_number(const float*) { return {'f', 4}; }
constexpr KbNumber kb_number(const precision::tf32*) { return {'T', 4}; }
constexpr KbNumber kb_number(const __half*) { return {'f', 2}; }
constexpr KbNumber kb_number(const __nv_bfloat16*) { return {'B', 2}; }
constexpr KbNumber kb_number(const signed char*) { return {'s', 1}; }
constexpr KbNumber kb_number(const unsigned char*) { return {'u', 1}; }
constexpr KbNumber kb_number(const int*) { return {'s', 4}; }

template <int m, int n, int k, typename T, typename A, typename B, typename D, typename C>
KB_DEVICE void mma_sync(fragment<accumulator, m, n, k, D>& d,
                        const fragment<matrix_a, m, n, k, T, A>& a,
                        const fragment<matrix_b, m, n, k, T, B>& b,
                        const fragment<accumulator, m, n, k, C>& c, bool = false, KB_FROM) {
  static_assert(std::is_same_v<C, D>, "accumulators of two types are not emulated");
  kbench_emulation::wmma_multiply(
      {m, n, k, a.x, b.x, c.x, d.x, kb_number(static_cast<const T*>(nullptr)),
       kb_number(static_cast<const D*>(nullptr))},
      KB_PLACE);
}

KB_DEVICE float __float_to_tf32(float x) {
  const unsigned bits = __float_as_uint(x);
  return (bits & 0x7f800000u) == 0x7f800000u ? x : __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

}  // namespace nvcuda::wmma

#endif  // KBENCH_EMULATION_MMA_H_
