#include "exec/canaries.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace kbench {
namespace {

// Bytes of an element; two of float4_e2m1 stay together.
std::size_t bytes_of(DType dtype) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(info(dtype).bits) / 8);
}

// Which elements: all of a small tensor, else random ones. The same may come twice.
std::vector<std::size_t> draw_elements(std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> elements;
  const bool all = count <= 2 * Canaries::least;
  for (std::size_t i = 0; i < std::min(count, 2 * Canaries::least); ++i)
    elements.push_back(all ? i : random() % count);
  return elements;
}

}  // namespace

Canaries::Canaries(const Inputs& inputs, std::byte* stage, std::uint64_t secret) : stage_(stage) {
  if (inputs.memory.size() > 0) std::memcpy(stage, inputs.memory.data(), inputs.memory.size());
  std::mt19937_64 random(secret);
  for (const BoundInput& input : inputs.values) {
    if (input.scalar) continue;
    const std::size_t size = bytes_of(input.tensor.dtype);
    for (const std::size_t element : draw_elements(input.tensor.bytes / size, random)) {
      Place place{input.offset + element * size, {}, static_cast<std::uint8_t>(size)};
      std::memcpy(place.right, inputs.memory.data() + place.offset, size);
      const std::uint64_t noise = random() | 1;  // another value, whatever the size
      for (std::size_t b = 0; b < size; ++b)
        stage[place.offset + b] = place.right[b] ^ static_cast<std::byte>(noise >> (8 * b));
      places_.push_back(place);
    }
  }
}

void Canaries::repair() {
  for (const Place& place : places_) {
    // Of one size each, so that no call is made for one element.
    switch (place.size) {
      case 8:
        std::memcpy(stage_ + place.offset, place.right, 8);
        break;
      case 4:
        std::memcpy(stage_ + place.offset, place.right, 4);
        break;
      case 2:
        std::memcpy(stage_ + place.offset, place.right, 2);
        break;
      default:
        stage_[place.offset] = place.right[0];
    }
  }
}

}  // namespace kbench
