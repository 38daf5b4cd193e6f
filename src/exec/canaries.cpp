#include "exec/canaries.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace kbench {
namespace {

using Random = std::mt19937_64;

// Bytes of an element; two of float4_e2m1 stay together.
std::size_t bytes_of(DType dtype) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(info(dtype).bits) / 8);
}

void fill(std::byte* to, std::size_t bytes, Random& random) {
  for (std::size_t i = 0; i < bytes; i += 8) {
    const std::uint64_t noise = random();
    std::memcpy(to + i, &noise, std::min<std::size_t>(8, bytes - i));
  }
}

}  // namespace

// Nobody can tell noise from right values in a tensor of which all is noise. In a larger one it
// might be seen for what it is, so every other canary is a value that the tensor has elsewhere.
Canaries::Canaries(const std::vector<SeenTensor>& tensors, std::uint64_t secret) {
  Random random(secret);
  std::vector<Place> wrong;
  for (const SeenTensor& tensor : tensors) {
    if (tensor.bytes == 0) continue;
    if (tensor.bytes <= whole_bytes) {
      wholes_.push_back({tensor.data, {tensor.data, tensor.data + tensor.bytes}});
      continue;
    }
    const std::size_t size = bytes_of(tensor.dtype);
    const auto draw = [&] {
      Place place{tensor.data + random() % (tensor.bytes / size) * size, {}, size};
      std::memcpy(place.right, place.at, size);
      return place;
    };
    for (std::size_t i = 0; i < count; ++i) {
      places_.push_back(draw());
      wrong.push_back(draw());
      if (i % 2 == 0) fill(wrong.back().right, size, random);
    }
  }
  for (const Whole& whole : wholes_) fill(whole.at, whole.right.size(), random);
  for (std::size_t i = 0; i < places_.size(); ++i)
    std::memcpy(places_[i].at, wrong[i].right, places_[i].size);
}

void Canaries::repair() {
  for (const Whole& whole : wholes_) std::memcpy(whole.at, whole.right.data(), whole.right.size());
  for (const Place& place : places_) {
    // Each copy has a constant size, so that no function is called for one element.
    switch (place.size) {
      case 8:
        std::memcpy(place.at, place.right, 8);
        break;
      case 4:
        std::memcpy(place.at, place.right, 4);
        break;
      case 2:
        std::memcpy(place.at, place.right, 2);
        break;
      default:
        *place.at = place.right[0];
    }
  }
}

}  // namespace kbench
