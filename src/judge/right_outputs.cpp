#include "judge/right_outputs.hpp"

namespace kbench {
namespace {

constexpr std::size_t most = 16;
constexpr std::size_t most_bytes = std::size_t{256} << 20;

}  // namespace

const Correctness* RightOutputs::find(const Bytes& outputs) const {
  for (const auto& [known, correctness] : known_) {
    if (known == outputs) return &correctness;
  }
  return nullptr;
}

void RightOutputs::add(Bytes outputs, Correctness correctness) {
  if (outputs.empty() || known_.size() == most || bytes_ + outputs.size() > most_bytes) return;
  bytes_ += outputs.size();
  known_.emplace_back(std::move(outputs), std::move(correctness));
}

}  // namespace kbench
