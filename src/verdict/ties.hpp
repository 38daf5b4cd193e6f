// Judgement of an output of integers, or of float4, whose origin is unknown, though it is made of
// numbers: codes packed in bytes, scales as codes, counts of what is above a threshold. Honest
// programs have one integer or the other where a number lies beside a border: which places those
// are, and which integers, is seen where the reference's inputs are moved a little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/origin.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

class Ties {
 public:
  // `own` is the double run's output, which `moved` differs from; of float4 in pairs, as its packed
  // bytes. Both must outlive it.
  Ties(const Alternates& moved, const TensorView& own);

  // Tells whether the reference has this integer there, or may have it. Both halves of 8 bits count
  // alone, since two codes of 4 bits may lie in them.
  bool is_seen(std::size_t i, std::int64_t value) const;
  // Tells whether it is at most a step beside such a one.
  bool is_beside(std::size_t i, std::int64_t value) const;
  // Returns how many elements two honest programs have unlike, at most on average. A run moves each
  // input by several times what an honest program rounds, and so changes more than twice as much.
  double likely() const { return 0.75 * moved_.per_run; }

 private:
  template <typename Fits>
  bool any(std::size_t i, const Fits& fits) const;

  Alternates moved_;
  TensorView own_;
  bool has_halves_ = false;
};

struct TieMisses {
  std::vector<bool> missed;  // elements that were not seen
  std::size_t first = 0;
  std::size_t unseen = 0;
  std::size_t far = 0;     // those of them that are not a step beside what was seen
  std::size_t others = 0;  // elements unlike the reference's own
  double limit = 0;        // limit on `others`: what is likely, and 6 times its spread

  // Runs are few: a hundredth of what may differ need not have been seen.
  bool accepts() const {
    return far == 0 && static_cast<double>(unseen) <= limit / 100 &&
           static_cast<double>(others) <= limit;
  }
};

// `native` is the reference's own answer.
TieMisses tie_misses(const TensorView& output, const TensorView& native, const Ties& ties);

}  // namespace kbench
