#include "exec/poisoned_outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <random>

namespace kbench {
namespace {

// splitmix64 (Steele, Lea & Flood 2014): enough to draw a pattern nobody can guess from `secret`.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

std::uint64_t repeat(std::uint64_t element, int bits) {
  for (int width = bits; width < 64; width *= 2) element |= element << width;
  return element;
}

// A payload that no arithmetic makes and no conversion leaves: neither 0 (IEEE 754's own NaN), nor
// all ones (NVIDIA's).
std::uint64_t payload(std::uint64_t random, int bits) {
  const std::uint64_t odd_ones = (std::uint64_t{1} << (bits - 1)) - 1;
  return random % odd_ones * 2 + 1;
}

// Half of each eight elements have the one code, at places that `random` gives, so that a program's
// own differ from them somewhere.
std::uint64_t mixed(const std::array<std::uint8_t, 2>& codes, std::uint64_t random) {
  std::uint64_t word = 0;
  std::uint64_t wanted = 4;
  for (std::uint64_t left = 8; left > 0; --left) {
    const bool is_second = random % left < wanted;
    random /= left;
    word |= static_cast<std::uint64_t>(codes[is_second ? 1 : 0]) << (8 * (left - 1));
    if (is_second) --wanted;
  }
  return word;
}

// A quiet NaN of IEEE 754 with a random payload: ones in the exponent and in the highest bit of the
// significand.
std::uint64_t quiet_nan(const DTypeInfo& type, std::uint64_t random) {
  const int payload_bits = type.significand - 2;
  const std::uint64_t ones = (std::uint64_t{1} << (type.bits - 1 - payload_bits)) - 1;
  return ones << payload_bits | payload(random, payload_bits);
}

// One element's bit pattern: a NaN with random payload where the type has one.
std::uint64_t draw_pattern(DType dtype, std::uint64_t random) {
  const DTypeInfo& type = info(dtype);
  if (type.poison[0] != 0) return mixed(type.poison, random);
  if (type.kind == DTypeKind::boolean) return repeat(0xA0U | (random & 0xFU), 8);
  if (type.kind == DTypeKind::floating && type.bits > 8)
    return repeat(quiet_nan(type, random), type.bits);
  const int bits = std::max(type.bits, 8);
  return repeat(bits == 64 ? random : random & ((1ULL << bits) - 1), bits);
}

template <class Word>
Unwritten find_equal(const std::byte* data, std::size_t bytes, std::uint64_t pattern) {
  Unwritten out;
  Word wanted[sizeof pattern / sizeof(Word)];
  std::memcpy(wanted, &pattern, sizeof pattern);
  const auto holds = [&](std::size_t i) {
    Word word;
    std::memcpy(&word, data + i * sizeof word, sizeof word);
    return word == wanted[i % std::size(wanted)];
  };
  for (std::size_t i = 0; i < bytes / sizeof(Word); ++i) out.count += holds(i);
  while (out.count > 0 && !holds(out.first)) ++out.first;
  return out;
}

constexpr std::size_t step = 64;
constexpr std::size_t least_margin = 512;  // bytes on both sides of a tensor that is not flush

// Moves the tensor by less than a page away from the end of its pages, as far as `random` says.
void move_up(Placement& place, std::uint64_t random, std::size_t page) {
  const std::size_t steps = (page - least_margin) / step;
  const std::size_t bytes = least_margin + random % steps * step;
  while (place.data < bytes + least_margin) {
    place.size += page;
    place.data += page;
  }
  place.data -= bytes;
}

}  // namespace

PoisonedOutputs::PoisonedOutputs(const std::vector<TensorPlan>& outputs, std::uint64_t shift) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::size_t at = 0;
  for (const TensorPlan& output : outputs) {
    const std::size_t bytes = storage_bytes(output.dtype, element_count(output.shape));
    Placement placement = among_pages(bytes, page);
    if (shift != 0) move_up(placement, mix(shift + regions_.size()), page);
    regions_.push_back({at, placement});
    at += regions_.back().place.size;
    names_.push_back(output.name);
    views_.push_back({output.dtype, output.shape, nullptr, bytes});
  }
  memory_ = SharedMemory("kbench outputs", at);
  memory_.seal_size();
  read_from(memory_.data());
}

void PoisonedOutputs::read_from(std::byte* copy) {
  seen_ = copy;
  for (std::size_t i = 0; i < views_.size(); ++i) views_[i].data = data(i);
}

void PoisonedOutputs::poison(std::uint64_t secret) {
  read_from(memory_.data());
  margin_ = static_cast<std::byte>(mix(secret));
  patterns_.clear();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const DType dtype = views_[i].dtype;
    patterns_.push_back(draw_pattern(dtype, mix(secret + 1 + static_cast<std::uint64_t>(dtype))));
    kbench::poison(memory_.data() + regions_[i].begin, regions_[i].place, views_[i].bytes,
                   patterns_.back(), margin_);
  }
}

Unwritten PoisonedOutputs::unwritten(std::size_t output) const {
  const TensorView& view = views_[output];
  const std::uint64_t wanted = patterns_[output];
  switch (info(view.dtype).bits) {
    case 64:
      return find_equal<std::uint64_t>(view.data, view.bytes, wanted);
    case 32:
      return find_equal<std::uint32_t>(view.data, view.bytes, wanted);
    case 16:
      return find_equal<std::uint16_t>(view.data, view.bytes, wanted);
    case 8:
      return find_equal<std::uint8_t>(view.data, view.bytes, wanted);
    default: {
      const Unwritten pairs = find_equal<std::uint8_t>(view.data, view.bytes, wanted);
      return {std::min<std::uint64_t>(2 * pairs.count, element_count(view.shape)), 2 * pairs.first};
    }
  }
}

int PoisonedOutputs::overrun() const {
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const auto& [begin, place] = regions_[i];
    if (!is_margin_whole(seen_ + begin, place, views_[i].bytes, margin_))
      return static_cast<int>(i);
  }
  return -1;
}

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

// Nobody can tell noise from right values in a tensor of which all is noise. Noise might be
// recognised in a larger one, so every other canary is a value that the tensor has elsewhere.
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

namespace {

constexpr std::size_t chunk_bytes = 16384;

}  // namespace

Snapshot::Snapshot(const PoisonedOutputs& outputs, std::uint64_t secret) : outputs_(outputs) {
  std::mt19937_64 random(secret);
  std::size_t elements = 0;  // words of 8 bytes, in all outputs
  for (const TensorView& view : outputs.views()) elements += (view.bytes + 7) / 8;
  for (std::size_t i = 0; elements > 0 && i < probe_count; ++i) {
    std::size_t at = random() % elements;
    std::size_t output = 0;
    while (at >= (outputs.views()[output].bytes + 7) / 8)
      at -= (outputs.views()[output++].bytes + 7) / 8;
    const std::size_t size = std::min<std::size_t>(8, outputs.views()[output].bytes - 8 * at);
    probes_.push_back({output, outputs.offset(output) + 8 * at, size, 0});
  }
  for (std::size_t at = 0; at < outputs.memory().size(); at += chunk_bytes) chunks_.push_back(at);
  std::shuffle(chunks_.begin(), chunks_.end(), random);
  copy_.resize(outputs.memory().size());
}

void Snapshot::probe() {
  const std::byte* const live = outputs_.memory().data();
  for (Probe& probe : probes_) std::memcpy(&probe.value, live + probe.offset, probe.size);
}

void Snapshot::take() {
  for (const std::size_t at : chunks_) {
    std::memcpy(copy_.data() + at, outputs_.memory().data() + at,
                std::min(chunk_bytes, copy_.size() - at));
  }
}

std::string Snapshot::done_early() const {
  for (const Probe& probe : probes_) {
    if (std::memcmp(&probe.value, copy_.data() + probe.offset, probe.size) != 0)
      return outputs_.name(probe.output);
  }
  return "";
}

std::string Snapshot::changed_since() const {
  for (std::size_t i = 0; i < outputs_.views().size(); ++i) {
    const std::size_t at = outputs_.offset(i);
    if (std::memcmp(copy_.data() + at, outputs_.memory().data() + at, outputs_.views()[i].bytes) !=
        0) {
      return outputs_.name(i);
    }
  }
  return "";
}

}  // namespace kbench
