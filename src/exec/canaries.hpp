// Elements of inputs that hold other values until the call begins: what was computed from the
// inputs before is wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "problem/inputs.hpp"

namespace kbench {

class Canaries {
 public:
  // At least so many of each tensor, or all that it has.
  static constexpr std::size_t least = 64;

  // Copies the inputs to `stage` with canaries in each tensor, at places drawn from `secret`.
  Canaries(const Inputs& inputs, std::byte* stage, std::uint64_t secret);
  // Puts the right values in their places. Nothing else happens between this and the call.
  void repair();

 private:
  struct Place {
    std::size_t offset;  // bytes into the stage
    std::byte right[8];
    std::uint8_t size;  // bytes
  };
  std::byte* stage_;
  std::vector<Place> places_;
};

}  // namespace kbench
