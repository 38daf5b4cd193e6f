// SPDX-License-Identifier: Apache-2.0
// One loop over the elements of N tensors that share a shape but not their strides.
#ifndef KBENCH_CPU_WALK_H_
#define KBENCH_CPU_WALK_H_

#include <cstdint>

#include "shape.h"

namespace kbench_cpu {

// In elements, for each of N tensors.
template <int N>
struct Offsets {
  int64_t of[N] = {};
};

// The loop's dimensions go in the order in which the first tensor, the output, lies in memory, and
// neighbours that every tensor steps through alike are one: tensors that are dense in the same dim
// order, whichever, are a single run.
template <int N>
class Walk {
 public:
  Walk(const Shape& shape, const Strides (&strides)[N]) {
    for (int i = 0; i < shape.dim; ++i) {
      if (shape.sizes[i] == 0) is_empty_ = true;
      if (shape.sizes[i] != 1) insert(shape.sizes[i], strides, static_cast<size_t>(i));
    }
    merge();
    if (dim_ > 0) return;
    sizes_[0] = 1;
    for (int64_t& stride : strides_[0].of) stride = 1;
    dim_ = 1;
  }

  // run(offsets, n, strides): n elements, each tensor from its offset on in steps of its stride.
  template <typename Run>
  void for_each_run(const Run& run) const {
    if (is_empty_) return;
    const int last = dim_ - 1;
    int64_t index[kRank] = {};
    Offsets<N> at;
    while (true) {
      run(at, sizes_[last], strides_[last]);
      int i = last - 1;
      for (; i >= 0 && ++index[i] == sizes_[i]; --i) {
        index[i] = 0;
        advance(at, i, 1 - sizes_[i]);
      }
      if (i < 0) return;
      advance(at, i, 1);
    }
  }

 private:
  // Sorted by the output's strides, the longest first; of equals the earlier dimension.
  void insert(int64_t size, const Strides (&strides)[N], size_t dim) {
    int place = dim_++;
    for (; place > 0 && strides_[place - 1].of[0] < strides[0][dim]; --place) {
      sizes_[place] = sizes_[place - 1];
      strides_[place] = strides_[place - 1];
    }
    sizes_[place] = size;
    for (int n = 0; n < N; ++n) strides_[place].of[n] = strides[n][dim];
  }

  void merge() {
    int kept = 0;
    for (int i = 1; i < dim_; ++i) {
      if (follows(kept, i)) {
        sizes_[kept] *= sizes_[i];
      } else {
        sizes_[++kept] = sizes_[i];
      }
      strides_[kept] = strides_[i];
    }
    if (dim_ > 0) dim_ = kept + 1;
  }

  // Whether a step of `outer` goes as far as all steps of `inner`, in each tensor.
  bool follows(int outer, int inner) const {
    bool does = true;
    for (int n = 0; n < N; ++n)
      does = does && strides_[outer].of[n] == strides_[inner].of[n] * sizes_[inner];
    return does;
  }

  void advance(Offsets<N>& at, int dim, int64_t steps) const {
    for (int n = 0; n < N; ++n) at.of[n] += steps * strides_[dim].of[n];
  }

  int dim_ = 0;
  bool is_empty_ = false;
  int64_t sizes_[kRank] = {};
  Offsets<N> strides_[kRank];
};

}  // namespace kbench_cpu

#endif  // KBENCH_CPU_WALK_H_
