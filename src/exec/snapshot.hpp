// What the outputs of an audited call held when it said that it was done, and whether that was all.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/poisoned_outputs.hpp"

namespace kbench {

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
  std::vector<std::size_t> chunks_;  // where they begin, in the order of copying
  std::vector<std::byte> copy_;
};

}  // namespace kbench
