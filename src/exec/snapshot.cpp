#include "exec/snapshot.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace kbench {
namespace {

constexpr std::size_t chunk_bytes = 16384;

}  // namespace

Snapshot::Snapshot(const PoisonedOutputs& outputs, std::uint64_t secret) : outputs_(outputs) {
  std::mt19937_64 random(secret);
  std::size_t elements = 0;  // of 8 bytes, in all outputs
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
