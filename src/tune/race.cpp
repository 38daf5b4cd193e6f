#include "tune/race.hpp"

#include <algorithm>
#include <cmath>

namespace kbench {

std::size_t Race::add() {
  contestants_.emplace_back();
  return contestants_.size() - 1;
}

void Race::take(std::size_t one, double sample) {
  Contestant& contestant = contestants_[one];
  contestant.shortest = contestant.samples.empty() ? sample : std::min(contestant.shortest, sample);
  contestant.samples.push_back(sample);
}

void Race::drop(std::size_t one) { contestants_[one].is_out = contestants_[one].failed = true; }

std::vector<std::size_t> Race::remaining() const {
  std::vector<std::size_t> in;
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    if (is_in(i)) in.push_back(i);
  }
  return in;
}

std::vector<std::size_t> Race::next() const {
  std::vector<std::size_t> in = remaining();
  std::size_t fewest = rule_.most;
  for (const std::size_t i : in) fewest = std::min(fewest, contestants_[i].samples.size());
  if (fewest == rule_.most || (in.size() == 1 && fewest > 0)) return {};
  std::erase_if(in, [&](std::size_t i) { return contestants_[i].samples.size() != fewest; });
  return in;
}

std::optional<double> Race::shortest(std::size_t one) const {
  const Contestant& contestant = contestants_[one];
  if (contestant.failed || contestant.samples.empty()) return std::nullopt;
  return contestant.shortest;
}

std::optional<std::size_t> Race::leader() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    if (!is_in(i) || contestants_[i].samples.empty()) continue;
    if (!best || contestants_[i].shortest < contestants_[*best].shortest) best = i;
  }
  return best;
}

// Of a sample to be `ratio` times as long as without others on the machine. Half a count is added,
// so that what was never seen is not impossible.
double Race::chance_of_disturbance(double ratio) const {
  const double near = std::sqrt(ratio);
  double count = 0, beyond = 0.5;
  for (const Contestant& contestant : contestants_) {
    if (contestant.failed || contestant.samples.size() < 2) continue;
    count += static_cast<double>(contestant.samples.size() - 1);
    for (const double sample : contestant.samples) {
      if (sample > contestant.shortest * near) beyond += 1;
    }
  }
  const double tail = (near / ratio) * (near / ratio);
  return std::min(1.0, beyond / (count + 1)) * tail;
}

void Race::settle() {
  const auto best = leader();
  if (!best) return;
  const double fastest = contestants_[*best].shortest;
  std::vector<std::size_t> slower;
  for (const std::size_t i : remaining()) {
    const Contestant& one = contestants_[i];
    if (i == *best || one.samples.empty()) continue;
    const double ratio = one.shortest / fastest;
    if (ratio <= 1 + rule_.margin) continue;
    const auto samples = static_cast<double>(one.samples.size());
    if (std::pow(chance_of_disturbance(ratio), samples) < rule_.error) slower.push_back(i);
  }
  for (const std::size_t i : slower) contestants_[i].is_out = true;  // all by the same chances
}

}  // namespace kbench
