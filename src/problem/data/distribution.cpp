#include "problem/data/distribution.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr std::size_t block = 2048;

// FlashInfer-Bench's choices (bench/utils.py), and the whole range of what it does not have.
struct DrawnIntegers {
  int bits;  // drawn
  std::int32_t lowest;
};

DrawnIntegers integers_of(DType dtype) {
  const DTypeInfo& type = info(dtype);
  if (type.kind == DTypeKind::boolean) return {1, 0};
  const int bits = std::min(type.bits, 11);
  return {bits, has_sign(dtype) ? -(1 << (bits - 1)) : 0};
}

// Standard normals, rounded to the dtype; of 8 bits and fewer they are cut to [-2, 2] before.
void fill_normal(DType dtype, const Stream& stream, std::byte* data, std::uint64_t first,
                 std::size_t count) {
  const bool is_narrow = info(dtype).bits <= 8;
  std::array<float, block> values;
  for (std::size_t done = 0; done < count; done += block) {
    const auto part = std::span(values).first(std::min(block, count - done));
    standard_normals(stream, first + done, part);
    if (is_narrow) {
      for (float& value : part) value = std::clamp(value, -2.0F, 2.0F);
    }
    encode(dtype, std::span<const float>(part), data, first + done);
  }
}

template <class T>
void store(std::span<const std::uint32_t> words, const DrawnIntegers& drawn_from, std::byte* out) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto drawn = static_cast<T>(words[i] >> (32 - drawn_from.bits));
    const auto value = static_cast<T>(drawn + static_cast<T>(drawn_from.lowest));
    std::memcpy(out + i * sizeof(T), &value, sizeof(T));
  }
}

void store(DType dtype, std::span<const std::uint32_t> words, std::byte* out) {
  const DrawnIntegers from = integers_of(dtype);
  switch (info(dtype).bits) {
    case 64:
      return store<std::int64_t>(words, from, out);
    case 32:
      return store<std::int32_t>(words, from, out);
    case 16:
      return store<std::int16_t>(words, from, out);
    default:
      return store<std::int8_t>(words, from, out);
  }
}

void fill_integers(DType dtype, const Stream& stream, std::byte* data, std::uint64_t first,
                   std::size_t count) {
  std::array<std::uint32_t, block> words;
  for (std::size_t done = 0; done < count; done += block) {
    const auto part = std::span(words).first(std::min(block, count - done));
    random_words(stream, first + done, part);
    store(dtype, part, data + storage_bytes(dtype, first + done));
  }
}

}  // namespace

void fill_random(DType dtype, const Stream& stream, std::byte* data, std::uint64_t first,
                 std::size_t count) {
  const auto fill = info(dtype).kind == DTypeKind::floating ? fill_normal : fill_integers;
  fill(dtype, stream, data, first, count);
}

}  // namespace kbench
