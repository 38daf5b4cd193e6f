// The third set of the calibration: as the held-out set, of other tasks, by somebody who had not
// read how the rule decides nor what it had said of the sets before. Right and wrong are what
// heldout.hpp calls so, and also
//  - right: what a library's kernel keeps in 16 bits on its way to a 16-bit output (linear
//    attention's scores before the values, LoRA's product of low rank, dequantised weights);
//  - wrong: a state that outlives the call and is kept in fewer bits than the Definition says.
// Arguable, hence not in the set: 1 + w in 16 bits, tensor cores of float8 that sum in 14 bits,
// values rounded to 16 bits between a gate and their codes, indices of a cumulative maximum where
// values are equal, log-sum-exp without its maximum, the logarithm of a quotient of probabilities,
// top-p by bisection in place of sorting.
#pragma once

#include "calibration/mutants/heldout_making.hpp"

namespace kbench::mutants::heldout {

using N = std::size_t;

// Input as numbers of the type that the program computes in.
template <class T>
struct Read {
  const Floats& v;
  T operator[](N i) const { return static_cast<T>(v[i]); }
  auto from(N first, N step = 1) const {
    return [this, first, step](N k) { return static_cast<T>(v[first + k * step]); };
  }
};

template <class T>
T logistic(T z) {
  return T{1} / (T{1} + std::exp(-z));
}

// Adds further mistakes on the way out, of the first output.
inline Making& slips(Making& making) {
  const N columns = making.held.outputs.front().columns;
  const auto add = [&](const std::string& name, const std::function<void(Values&)>& change) {
    making.wrong(name, {.after = [=](Made& made) { change(made.front()); }});
  };
  add("the vector tail is not written", [=](Values& v) {
    const N whole_part = columns % 8 == 0 ? columns - 8 : columns / 8 * 8;
    for (N i = 0; i < v.size(); ++i)
      if (i % columns >= whole_part) v[i] = 0;
  });
  add("two blocks of 16 have changed places", [](Values& v) {
    const N some = std::min<N>(16, v.size() / 2);
    std::swap_ranges(v.begin(), v.begin() + static_cast<long>(some),
                     v.begin() + static_cast<long>(some));
  });
  add("added to what was there", [](Values& v) {
    for (long double& x : v) x += x;
  });
  return making;
}

inline Before rolled_integers(const std::string& name, N by) {
  return [=](Given& g) {
    auto& v = g.integers.at(name);
    std::rotate(v.begin(), v.begin() + static_cast<long>(by % v.size()), v.end());
  };
}

}  // namespace kbench::mutants::heldout
