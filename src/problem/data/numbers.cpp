#include "problem/data/numbers.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <unordered_set>

#include "problem/element.hpp"

namespace kbench {
namespace {

// Lengths at and beside the borders of the tiles that programs have.
constexpr std::int64_t tile_lengths[] = {64, 65, 63, 16, 17, 15, 128, 127, 129, 256, 255, 257};

// Lengths at which loops over a sequence go wrong: the longest, the shortest, and beside tiles.
Integers edge_lengths(std::int64_t low, std::int64_t high) {
  Integers out{high, low};
  const auto add = [&](std::int64_t length) {
    if (length > low && length < high && std::find(out.begin(), out.end(), length) == out.end())
      out.push_back(length);
  };
  for (const std::int64_t length : tile_lengths) add(length);
  add(high - 1);
  return out;
}

// The last part has all but the least that others need.
Integers one_has_all(std::int64_t parts, std::int64_t total, std::int64_t smallest) {
  Integers out(static_cast<std::size_t>(parts), smallest);
  out.back() = total - (parts - 1) * smallest;
  return out;
}

// Makes each part but the first as long as a tile, while there is enough.
Integers tiled(std::int64_t parts, std::int64_t total, std::int64_t smallest) {
  Integers out(static_cast<std::size_t>(parts), smallest);
  std::int64_t rest = total - parts * smallest;
  for (std::size_t i = 1; i < out.size(); ++i) {
    const std::int64_t wanted = tile_lengths[(i - 1) % std::size(tile_lengths)];
    const std::int64_t more = std::clamp<std::int64_t>(wanted - smallest, 0, rest);
    out[i] += more;
    rest -= more;
  }
  out.front() += rest;
  return out;
}

// Every second place of so many, and neither the first nor the last where there are others.
std::vector<std::size_t> filled_places(std::size_t count) {
  if (count < 3) return {count - 1};
  std::vector<std::size_t> out;
  for (std::size_t i = 1; i + 1 < count; i += 2) out.push_back(i);
  return out;
}

// Swaps `value` into a place; it replaces what is there if no place has it.
void bring(Integers& values, std::int64_t value, std::int64_t place) {
  std::int64_t& there = values[static_cast<std::size_t>(place)];
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) *found = there;
  there = value;
}

}  // namespace

std::uint32_t Numbers::next() {
  if (used_ == words_.size()) {
    random_words(stream_, first_, words_);
    first_ += words_.size();
    used_ = 0;
  }
  return words_[used_++];
}

std::int64_t Numbers::below(std::int64_t n) {
  const std::uint64_t high = next();
  const std::uint64_t word = high << 32 | next();
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::int64_t>((Wide(word) * static_cast<std::uint64_t>(n)) >> 64);
}

std::int64_t Numbers::one_between(std::int64_t low, std::int64_t high) {
  if (skew_ == Skew::high) return high;
  return skew_ == Skew::low ? low : between(low, high);
}

Integers Numbers::any(std::int64_t count, std::int64_t range) {
  Integers out(static_cast<std::size_t>(count));
  if (skew_ == Skew::low) return out;
  for (std::int64_t& value : out) value = below(range);
  if (skew_ == Skew::high) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % 4 != 3) out[i] = range - 1;
      if (i % 8 == 3) out[i] = 0;
    }
  }
  if (skew_ == Skew::ends && count > 0) {
    const std::int64_t last = below(count);
    if (count > 1) out[static_cast<std::size_t>((last + 1 + below(count - 1)) % count)] = 0;
    out[static_cast<std::size_t>(last)] = range - 1;
  }
  return out;
}

Integers Numbers::distinct(std::int64_t count, std::int64_t range) {
  if (skew_ == Skew::low) {
    Integers out(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int64_t>(i) % range;
    return out;
  }
  Integers out = shuffled(count, range);
  if (count == 0 || (skew_ != Skew::high && skew_ != Skew::ends)) return out;
  const std::int64_t place = skew_ == Skew::high ? 0 : below(count);
  if (count > 1 && range > 1) bring(out, 0, (place + 1) % count);
  bring(out, range - 1, place);
  return out;
}

Integers Numbers::shuffled(std::int64_t count, std::int64_t range) {
  Integers out;
  out.reserve(static_cast<std::size_t>(count));
  if (range / 4 > count) {
    std::unordered_set<std::int64_t> taken;
    while (static_cast<std::int64_t>(out.size()) < count) {
      const std::int64_t value = below(range);
      if (taken.insert(value).second) out.push_back(value);
    }
    return out;
  }
  Integers all(static_cast<std::size_t>(range));
  std::iota(all.begin(), all.end(), 0);
  while (static_cast<std::int64_t>(out.size()) < count) {
    const std::int64_t part = std::min(range, count - static_cast<std::int64_t>(out.size()));
    for (std::int64_t i = 0; i < part; ++i) {
      std::swap(all[static_cast<std::size_t>(i)],
                all[static_cast<std::size_t>(between(i, range - 1))]);
    }
    out.insert(out.end(), all.begin(), all.begin() + part);
  }
  return out;
}

Integers Numbers::split(std::int64_t parts, std::int64_t total, std::int64_t smallest) {
  if (skew_ == Skew::high) return one_has_all(parts, total, smallest);
  if (skew_ == Skew::low) return tiled(parts, total, smallest);
  if (skew_ != Skew::empty || smallest > 0) return cut(parts, total, smallest);
  Integers out(static_cast<std::size_t>(parts));
  const std::vector<std::size_t> filled = filled_places(out.size());
  const Integers sizes = cut(std::ssize(filled), total, 0);
  for (std::size_t i = 0; i < filled.size(); ++i) out[filled[i]] = sizes[i];
  return out;
}

Integers Numbers::cut(std::int64_t parts, std::int64_t total, std::int64_t smallest) {
  Integers cuts{0};
  const std::int64_t rest = total - parts * smallest;
  for (std::int64_t i = 1; i < parts; ++i) cuts.push_back(below(rest + 1));
  cuts.push_back(rest);
  std::sort(cuts.begin(), cuts.end());
  Integers out;
  for (std::size_t i = 1; i < cuts.size(); ++i) out.push_back(cuts[i] - cuts[i - 1] + smallest);
  return out;
}

Integers Numbers::lengths(std::int64_t count, std::int64_t low, std::int64_t high) {
  Integers out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(between(low, high));
  if (skew_ == Skew::empty && low == 0) {
    for (std::size_t i = 0; i < out.size(); i += 2) out[i] = 0;
    if (count > 0) out.back() = 0;
  }
  if (skew_ != Skew::high && skew_ != Skew::low) return out;
  const Integers edges = edge_lengths(low, high);
  const std::size_t first = skew_ == Skew::low ? out.size() : 0;  // those that did not come yet
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = edges[(first + i) % edges.size()];
  return out;
}

namespace {

constexpr std::size_t block = 2048;

// FlashInfer-Bench's choices (bench/utils.py), and the whole range of what it does not have.
struct DrawnIntegers {
  int bits;  // bits that are drawn
  std::int32_t lowest;
};

DrawnIntegers integers_of(DType dtype) {
  const DTypeInfo& type = info(dtype);
  if (type.kind == DTypeKind::boolean) return {1, 0};
  const int bits = std::min(type.bits, 11);
  return {bits, has_sign(dtype) ? -(1 << (bits - 1)) : 0};
}

// Standard normals, rounded to the dtype; those of 8 bits and fewer are cut to [-2, 2] before.
void fill_normal(DType dtype, const Stream& stream, std::byte* data, std::uint64_t first,
                 std::size_t count) {
  const bool is_narrow = info(dtype).bits <= 8;
  std::array<float, block> values;
  for (std::size_t done = 0; done < count; done += block) {
    const auto part = std::span(values).first(std::min(block, count - done));
    standard_normals(stream, first + done, part);
    if (is_narrow)
      for (float& value : part) value = std::clamp(value, -2.0F, 2.0F);
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
