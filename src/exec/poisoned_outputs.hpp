// Memory for a candidate's outputs: poisoned before each call, so that what was not written shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/shared_memory.hpp"
#include "problem/guarded_memory.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

// Elements that still hold the pattern; two of float4_e2m1 are in a byte, and stay together.
struct Unwritten {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  // index of the first one
};

// Outputs in one piece of shared memory, each in pages of its own (problem/guarded_memory.hpp).
class PoisonedOutputs {
 public:
  // Each is flush with the end of its pages. `shift` other than 0: some multiple of 64 bytes before
  // that, at least 512 from both ends, another one for each output, which `shift` says.
  explicit PoisonedOutputs(const std::vector<TensorPlan>& outputs, std::uint64_t shift = 0);

  // From now on everything below reads and writes `copy`, laid out as memory() is, until the next
  // poison().
  void read_from(std::byte* copy);
  // Fills everything with patterns drawn from `secret`, one a dtype: for floating types a NaN that
  // no arithmetic makes (float8_e4m3fn has none: both of its NaN by turns), a random value for the
  // others; and a random byte around the tensors.
  void poison(std::uint64_t secret);
  // What the last poison() drew: of an output's elements, repeated to 8 bytes, and of the margins.
  std::uint64_t pattern(std::size_t output) const { return patterns_[output]; }
  std::byte margin() const { return margin_; }

  // Elements of an output that still hold the pattern.
  Unwritten unwritten(std::size_t output) const;
  // The first output that was written beyond its end or before its begin; -1 if none was.
  int overrun() const;

  const std::string& name(std::size_t output) const { return names_[output]; }

  const SharedMemory& memory() const { return memory_; }
  const std::vector<TensorView>& views() const { return views_; }
  std::size_t offset(std::size_t output) const {
    return regions_[output].begin + regions_[output].place.data;
  }
  std::byte* data(std::size_t output) { return seen_ + offset(output); }

 private:
  struct Region {
    std::size_t begin;  // of the pages
    Placement place;
  };
  std::vector<Region> regions_;
  std::vector<std::string> names_;
  std::vector<TensorView> views_;
  SharedMemory memory_;
  std::byte* seen_ = nullptr;  // memory_, or a copy
  std::vector<std::uint64_t> patterns_;
  std::byte margin_{};
};

}  // namespace kbench
