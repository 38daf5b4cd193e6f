// The held-out set of the calibration: programs written by somebody who had not read how the rule
// decides, and labelled before any judge had run on them. Rules of the set:
//
// RIGHT is what good engineers ship for the Definition as it is written.
//  - float32 (or better) sums in any order, with or without fused multiply-add.
//  - Intermediates of the dtype of 16-bit outputs where PyTorch's or another common library's own
//    kernel has them, and only there: the product before the activation (eager linear, then gelu),
//    the normalised value before the weight (HF's RMSNorm), the sum with the residual before its
//    norm (vLLM's fused kernel), attention's weights before the values (flash attention).
//  - Any order of equal elements in a top-k or argmax: torch defines none.
//  - Float32 subnormals flushed to 0: what CUDA does with -ftz=true, and CPU kernels with DAZ.
//  - Quantised codes by division or by a reciprocal: the one flips a code beside a step.
// WRONG is all else, though it may be near:
//  - Outputs cut off and not rounded: a rounding mode that no Definition here asks for.
//  - float32 answers of inputs in bfloat16, float16 or tf32, or sums in 16 bits: the Definition
//    says float32. (PyTorch can be told to allow tf32; here nobody did.)
//  - 16-bit answers whose long sums were kept in 16 bits.
//  - gelu's tanh form where the reference has erf and the output shows it.
//  - Halves rounded away from zero where the reference rounds them to even.
// Arguable, hence not in the set: variance as E[x^2] - E[x]^2, softmax without its maximum, fast
// exponentials of 2^-20, tanh.approx in 16 bits, Strassen's products, stochastic rounding.
// heldout_test.cpp holds both classes to a long double answer, without any rule. Programs that it
// showed to differ by too little on these inputs were taken out; they are named at their tasks.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "calibration/mutants/program.hpp"

namespace kbench::mutants::heldout {

using Values = std::vector<long double>;  // numbers of any dtype, int64's too (x87)
using Made = std::vector<Values>;         // one for each output, not yet rounded to its dtype

// Orders of a sum, honest and not.
enum class Order : std::uint8_t {
  forward,
  backward,
  pairwise,
  split,
  lanes,
  tiles_shuffled,
  fused,  // the last honest one
  low_each,
  low_tiles,
  tile_lost,
  tail_dropped,
  border_twice,
  every_other  // the last wrong one
};

struct Way {
  Order order = Order::forward;
  DType low = DType::bfloat16;  // dtype of low_each and low_tiles
  std::string what;             // the program's name: what is special about it, where the op knows
  bool is(std::string_view name) const { return what == name; }
};

constexpr std::size_t tile = 32;

template <class T>
T low(DType dtype, T v) {
  return static_cast<T>(rounded(dtype, static_cast<float>(v)));
}

template <class T, class F>
T pairwise(std::size_t first, std::size_t count, const F& term) {
  if (count <= 4) {
    T sum = 0;
    for (std::size_t k = first; k < first + count; ++k) sum += term(k);
    return sum;
  }
  return pairwise<T>(first, count / 2, term) +
         pairwise<T>(first + count / 2, count - count / 2, term);
}

template <class T, class F>
T in_lanes(std::size_t n, std::size_t lanes, const F& term) {
  std::vector<T> parts(lanes);
  for (std::size_t k = 0; k < n; ++k) parts[k % lanes] += term(k);
  return pairwise<T>(0, lanes, [&](std::size_t l) { return parts[l]; });
}

// Sums one part after the other, of `length` terms; `each` takes each part.
template <class T, class F, class Each>
void in_parts(std::size_t n, std::size_t length, const F& term, const Each& each) {
  for (std::size_t first = 0; first < n; first += length) {
    T part = 0;
    for (std::size_t k = first; k < std::min(n, first + length); ++k) part += term(k);
    each(first / length, part);
  }
}

template <class T, class F>
T shuffled(std::size_t n, const F& term) {
  std::vector<T> parts;
  in_parts<T>(n, tile, term, [&](std::size_t, T part) { parts.push_back(part); });
  T sum = 0;
  for (std::size_t step : {1U, 0U})
    for (std::size_t p = step; p < parts.size(); p += 2) sum += parts[parts.size() - 1 - p];
  return sum;
}

// Sums all but the last tile, unless it is the only one.
template <class T, class F>
T without_tail(std::size_t n, const F& term) {
  const std::size_t rest = n % tile == 0 ? tile : n % tile;
  T sum = 0;
  for (std::size_t k = 0; k < n - std::min(rest, n - 1); ++k) sum += term(k);
  return sum;
}

// Sums wrongly; `id` is the number of the sum: a race hits every third.
template <class T, class F>
T wrong_sum(const Way& way, std::size_t id, std::size_t n, const F& term) {
  T sum = 0;
  const std::size_t tiles = (n + tile - 1) / tile;
  switch (way.order) {
    case Order::low_each:
      for (std::size_t k = 0; k < n; ++k) sum = low(way.low, sum + term(k));
      return sum;
    case Order::low_tiles:
      in_parts<T>(n, tile, term, [&](std::size_t, T part) { sum = low(way.low, sum + part); });
      return sum;
    case Order::tile_lost:
      in_parts<T>(n, tile, term, [&](std::size_t t, T part) {
        if (id % 3 != 0 || t != id % tiles) sum += part;
      });
      return sum;
    case Order::tail_dropped:
      return without_tail<T>(n, term);
    case Order::border_twice:
      for (std::size_t k = 0; k < n; ++k) sum += term(k);
      return sum + term(std::min(tile, n) - 1);
    default:  // every_other
      for (std::size_t k = 0; k < n; k += 2) sum += term(k);
      return 2 * sum;
  }
}

template <class T, class A, class B>
T dot(const Way& way, std::size_t id, std::size_t n, const A& a, const B& b) {
  const auto term = [&](std::size_t k) { return static_cast<T>(a(k) * b(k)); };
  T sum = 0;
  switch (way.order) {
    case Order::forward:
      for (std::size_t k = 0; k < n; ++k) sum += term(k);
      return sum;
    case Order::backward:
      for (std::size_t k = n; k-- > 0;) sum += term(k);
      return sum;
    case Order::pairwise:
      return pairwise<T>(0, n, term);
    case Order::split:
      in_parts<T>(n, (n + 3) / 4, term, [&](std::size_t, T part) { sum += part; });
      return sum;
    case Order::lanes:
      return in_lanes<T>(n, 8, term);
    case Order::tiles_shuffled:
      return shuffled<T>(n, term);
    case Order::fused:
      for (std::size_t k = 0; k < n; ++k) sum = std::fma(a(k), b(k), sum);
      return sum;
    default:
      return wrong_sum<T>(way, id, n, term);
  }
}

template <class T, class A>
T total(const Way& way, std::size_t id, std::size_t n, const A& a) {
  return dot<T>(way, id, n, a, [](std::size_t) { return T{1}; });
}

template <class T>
std::vector<T> all_of(const Given& given, const std::string& name) {
  const Floats& v = given[name];
  return {v.begin(), v.end()};
}

struct Output {
  DType dtype = DType::float32;
  std::size_t columns = 1;  // columns of a row: its largest element is the unit of errors
  // Values that indices point at, which are compared instead; NaN where they may not point.
  std::function<Values(const Given&, const Values&)> score = {};
};

inline Bytes stored_values(DType dtype, const Values& values, bool cuts) {
  Bytes bytes(storage_bytes(dtype, values.size()));
  if (info(dtype).kind == DTypeKind::floating) {
    std::vector<double> v(values.begin(), values.end());
    if (cuts)
      for (double& x : v) x = static_cast<double>(chopped(dtype, static_cast<float>(x)));
    encode(dtype, std::span<const double>(v), bytes.data(), 0);
    return bytes;
  }
  const std::size_t width = static_cast<std::size_t>(info(dtype).bits) / 8;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto whole = static_cast<std::int64_t>(values[i]);
    std::memcpy(bytes.data() + i * width, &whole, width);  // the low bytes: little-endian
  }
  return bytes;
}

using Body = std::function<Made(const Given&, const Way&)>;

struct Change {
  Order order = Order::forward;
  DType low = DType::bfloat16;
  std::function<void(Given&)> before = {};
  std::function<void(Made&)> after = {};
  bool cuts = false, in_double = false;
};

struct HeldOut {
  Task task;
  std::vector<Output> outputs;
  Body truth;  // computes in long double
};

}  // namespace kbench::mutants::heldout
