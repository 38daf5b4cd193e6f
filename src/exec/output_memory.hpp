// Memory for a candidate's outputs: poisoned before each call, so that what was not written shows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/shared_memory.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

// Outputs in one piece of shared memory, each in pages of its own and flush with their end (up to
// the alignment of 64 bytes), so that a step beyond it meets the worker's guard.
class OutputMemory {
 public:
  explicit OutputMemory(const std::vector<TensorPlan>& outputs);

  // Fills everything with a pattern drawn from `secret`: NaNs for floating types, a random value
  // for the others, a random byte around the tensors.
  void poison(std::uint64_t secret);

  // Elements of an output that still hold the pattern.
  std::uint64_t unwritten(std::size_t output) const;
  // The first output that was written beyond its end or before its begin; -1 if none was.
  int overrun() const;

  const SharedMemory& memory() const { return memory_; }
  const std::vector<TensorView>& views() const { return views_; }
  std::size_t offset(std::size_t output) const { return regions_[output].data; }

 private:
  struct Region {
    std::size_t begin, data, end;  // pages [begin, end), the tensor from data on
  };
  std::vector<Region> regions_;
  std::vector<TensorView> views_;
  SharedMemory memory_;
  std::vector<std::uint64_t> patterns_;  // of one element each, repeated to 8 bytes
  std::byte margin_{};
};

}  // namespace kbench
