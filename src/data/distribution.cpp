#include "data/distribution.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "data/normal.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr std::size_t block = 2048;

enum class Law {
  normal,          // standard normal, rounded to the dtype
  clamped_normal,  // cut to [-2, 2] before it is rounded
  uniform,         // integers [lowest, lowest + 2^bits)
};

struct Distribution {
  DType dtype;
  Law law;
  int bits = 0;
  std::int32_t lowest = 0;
};

// In the order of DType: FlashInfer-Bench's choices (bench/utils.py).
constexpr Distribution table[] = {
    {DType::float32, Law::normal},
    {DType::float16, Law::normal},
    {DType::bfloat16, Law::normal},
    {DType::float8_e4m3fn, Law::clamped_normal},
    {DType::float8_e5m2, Law::clamped_normal},
    {DType::float4_e2m1, Law::clamped_normal},
    {DType::int64, Law::uniform, 11, -1024},
    {DType::int32, Law::uniform, 11, -1024},
    {DType::int16, Law::uniform, 11, -1024},
    {DType::int8, Law::uniform, 8, -128},
    {DType::boolean, Law::uniform, 1, 0},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(table); ++i) {
    if (static_cast<std::size_t>(table[i].dtype) != i) return false;
  }
  return true;
}
static_assert(in_order());

void fill_normal(const Distribution& row, const Stream& stream, std::byte* data,
                 std::uint64_t first, std::size_t count) {
  std::array<float, block> values;
  for (std::size_t done = 0; done < count; done += block) {
    const auto part = std::span(values).first(std::min(block, count - done));
    standard_normals(stream, first + done, part);
    if (row.law == Law::clamped_normal) {
      for (float& value : part) value = std::clamp(value, -2.0F, 2.0F);
    }
    encode(row.dtype, std::span<const float>(part), data, first + done);
  }
}

template <class T>
void store(std::span<const std::uint32_t> words, const Distribution& row, std::byte* out) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto drawn = static_cast<T>(words[i] >> (32 - row.bits));
    const auto value = static_cast<T>(drawn + static_cast<T>(row.lowest));
    std::memcpy(out + i * sizeof(T), &value, sizeof(T));
  }
}

void store(std::span<const std::uint32_t> words, const Distribution& row, std::byte* out) {
  switch (info(row.dtype).bits) {
    case 64:
      return store<std::int64_t>(words, row, out);
    case 32:
      return store<std::int32_t>(words, row, out);
    case 16:
      return store<std::int16_t>(words, row, out);
    default:
      return store<std::int8_t>(words, row, out);
  }
}

void fill_uniform(const Distribution& row, const Stream& stream, std::byte* data,
                  std::uint64_t first, std::size_t count) {
  std::array<std::uint32_t, block> words;
  for (std::size_t done = 0; done < count; done += block) {
    const auto part = std::span(words).first(std::min(block, count - done));
    random_words(stream, first + done, part);
    store(part, row, data + storage_bytes(row.dtype, first + done));
  }
}

}  // namespace

void fill_random(DType dtype, const Stream& stream, std::byte* data, std::uint64_t first,
                 std::size_t count) {
  const Distribution& row = table[static_cast<std::size_t>(dtype)];
  const auto fill = row.law == Law::uniform ? fill_uniform : fill_normal;
  fill(row, stream, data, first, count);
}

}  // namespace kbench
