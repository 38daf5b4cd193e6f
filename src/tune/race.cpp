#include "tune/race.hpp"

#include <algorithm>
#include <cmath>

namespace kbench {

std::size_t Race::add() {
  contestants_.emplace_back();
  return contestants_.size() - 1;
}

void Race::note(std::size_t one, Samples kind, double sample) {
  Contestant& contestant = contestants_[one];
  const bool is_new = contestant.samples.empty() && contestant.firsts.empty();
  contestant.shortest = is_new ? sample : std::min(contestant.shortest, sample);
  (contestant.*kind).push_back(sample);
}

void Race::take(std::size_t one, double sample) { note(one, &Contestant::samples, sample); }

void Race::take_first(std::size_t one, double sample) { note(one, &Contestant::firsts, sample); }

void Race::drop(std::size_t one) {
  const bool was_leader = leader() == one;
  contestants_[one].is_out = contestants_[one].failed = true;
  if (!was_leader) return;
  readmit();
  settle();
}

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
  if (fewest == rule_.most || (in.size() <= rule_.enough && fewest > 0)) return {};
  std::erase_if(in, [&](std::size_t i) { return contestants_[i].samples.size() != fewest; });
  std::stable_sort(in.begin(), in.end(), [this](std::size_t a, std::size_t b) {
    return contestants_[a].shortest < contestants_[b].shortest;
  });
  return in;
}

std::optional<double> Race::shortest(std::size_t one) const {
  const Contestant& contestant = contestants_[one];
  const bool is_known = !contestant.samples.empty() || !contestant.firsts.empty();
  return is_known && !contestant.failed ? std::optional(contestant.shortest) : std::nullopt;
}

std::optional<std::size_t> Race::leader() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < contestants_.size(); ++i) {
    if (!is_in(i) || !shortest(i)) continue;
    if (!best || contestants_[i].shortest < contestants_[*best].shortest) best = i;
  }
  return best;
}

// Estimates the chance that other load on the machine makes a sample `ratio` times as long. Half a
// count is added, so that unseen disturbances are not impossible. The shortest sample of each
// contestant is left out: it is the measure of the others.
double Race::chance_of_disturbance(double ratio, Samples kind) const {
  const double near = std::sqrt(ratio);
  double count = 0, beyond = 0.5;
  for (const Contestant& contestant : contestants_) {
    if (contestant.failed || contestant.samples.empty()) continue;
    const std::vector<double>& samples = contestant.*kind;
    const auto is_shortest = [&](double sample) { return sample == contestant.shortest; };
    count += static_cast<double>(samples.size());
    if (std::any_of(samples.begin(), samples.end(), is_shortest)) count -= 1;
    for (const double sample : samples) {
      if (sample > contestant.shortest * near) beyond += 1;
    }
  }
  const double tail = (near / ratio) * (near / ratio);
  return std::min(1.0, beyond / (count + 1)) * tail;
}

bool Race::is_surely_slower(const Contestant& one, double fastest) const {
  const double ratio = one.shortest / fastest;
  if (ratio <= 1 + (one.firsts.size() == 1 ? rule_.load_margin : rule_.margin)) return false;
  double chance = 1;
  for (const Samples kind : {&Contestant::samples, &Contestant::firsts})
    chance *= std::pow(chance_of_disturbance(ratio, kind), (one.*kind).size());
  return chance < rule_.error;
}

void Race::settle(std::size_t one) {
  const auto best = leader();
  Contestant& contestant = contestants_[one];
  if (!best || one == *best || contestant.is_out || contestant.samples.empty()) return;
  contestant.is_out = is_surely_slower(contestant, contestants_[*best].shortest);
}

void Race::settle() {
  for (const std::size_t i : remaining()) settle(i);
}

void Race::readmit() {
  for (Contestant& contestant : contestants_) contestant.is_out = contestant.failed;
}

namespace {

// Contestants that are out were put out one after the other: there is no way round in a circle.
bool beats(const Contest& contest, std::size_t contenders, std::size_t one, std::size_t other) {
  if (contest.compare(other, one).answer == Answer::faster) return true;
  for (std::size_t between = 0; between < contenders; ++between) {
    if (between == one || between == other || !contest.is_out(between)) continue;
    const bool is_behind = contest.compare(between, one).answer == Answer::faster;
    if (is_behind && beats(contest, contenders, between, other)) return true;
  }
  return false;
}

}  // namespace

std::size_t winner_of(const Contest& contest, std::span<const double> shortest_ns,
                      std::optional<std::size_t> heuristic) {
  if (heuristic && !contest.is_out(*heuristic)) return *heuristic;
  std::optional<std::size_t> winner;
  for (std::size_t k = 0; k < shortest_ns.size(); ++k) {
    if (contest.is_out(k)) continue;
    if (heuristic && !beats(contest, shortest_ns.size(), k, *heuristic)) continue;
    if (!winner || shortest_ns[k] < shortest_ns[*winner]) winner = k;
  }
  return *winner;  // one that has put out the heuristic's, or is ahead of one that has
}

}  // namespace kbench
