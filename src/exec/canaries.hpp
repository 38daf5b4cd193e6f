// Elements of inputs that hold other values until the call begins: what was computed from the
// inputs before is wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "problem/tensor_view.hpp"

namespace kbench {

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

}  // namespace kbench
