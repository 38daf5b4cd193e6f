// Memory for a candidate's outputs: poisoned before each call, so that what was not written shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/shared_memory.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

// Elements that still hold the pattern; two of float4_e2m1 are in a byte, and stay together.
struct Unwritten {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  // index of the first one
};

// Outputs in one piece of shared memory, each in pages of its own (problem/tensor_view.hpp).
class PoisonedOutputs {
 public:
  // Each output is flush with the end of its pages. A `shift` other than 0 draws for each a
  // multiple of 64 bytes before that end, at least 512 from both ends.
  explicit PoisonedOutputs(const std::vector<TensorPlan>& outputs, std::uint64_t shift = 0);

  // Has everything below read and write `copy`, laid out as memory() is, until the next poison().
  void read_from(std::byte* copy);
  // Fills everything with patterns drawn from `secret`, one a dtype: for floating types a NaN that
  // no arithmetic makes (float8_e4m3fn has none: both of its NaN by turns), a random value for the
  // others; and a random byte around the tensors.
  void poison(std::uint64_t secret);
  // Patterns of the last poison(): of an output's elements, repeated to 8 bytes, and of the
  // margins.
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
    std::size_t begin;  // offset of its pages
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

// Elements of inputs that hold other values until the call begins: what was computed from the
// inputs before is wrong.

// A tensor where the candidate sees it.
struct SeenTensor {
  std::byte* data;
  std::size_t bytes;
  DType dtype;
};

class Canaries {
 public:
  // A tensor holds nothing right where it has no more bytes than this; in a larger one so many
  // random elements hold other values.
  static constexpr std::size_t whole_bytes = 16384;
  static constexpr std::size_t count = 128;

  // Puts them into tensors that hold the right values, at places drawn from `secret`.
  Canaries(const std::vector<SeenTensor>& tensors, std::uint64_t secret);
  // Puts the right values in their places. Nothing else happens between this and the call.
  void repair();

 private:
  struct Place {
    std::byte* at;
    std::byte right[8];
    std::size_t size;  // bytes
  };
  struct Whole {
    std::byte* at;
    std::vector<std::byte> right;
  };
  std::vector<Place> places_;
  std::vector<Whole> wholes_;
};

// Copy of an audited call's outputs from when it said that it was done, which shows later changes.
class Snapshot {
 public:
  static constexpr std::size_t probe_count = 512;

  // Draws from `secret` where the probes will be taken, and in which order the rest is copied.
  Snapshot(const PoisonedOutputs& outputs, std::uint64_t secret);

  // Reads the probes: 8 bytes each, at once when the call is done.
  void probe();
  // Copies everything.
  void take();
  // The name of the first output whose probes are not what was copied later: the call had said that
  // it was done before it was. "" where there is none.
  std::string done_early() const;
  // The name of the first output that is not any more what was copied. "" where there is none.
  std::string changed_since() const;

  std::byte* data() { return copy_.data(); }  // laid out as the outputs' memory

 private:
  struct Probe {
    std::size_t output;
    std::size_t offset;  // bytes into the outputs' memory
    std::size_t size;    // bytes
    std::uint64_t value;
  };
  const PoisonedOutputs& outputs_;
  std::vector<Probe> probes_;
  std::vector<std::size_t> chunks_;  // their offsets, in the order of copying
  std::vector<std::byte> copy_;
};

}  // namespace kbench
