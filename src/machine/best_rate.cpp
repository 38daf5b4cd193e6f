#include "machine/best_rate.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int stretches = 8;
constexpr std::chrono::milliseconds stretch(4);

// Units a second.
double rate_of(const Portion& portion) {
  double done = 0;
  const auto begin = Clock::now();
  std::chrono::duration<double> taken{};
  do {
    done += portion();
    taken = Clock::now() - begin;
  } while (taken < stretch);
  return done / taken.count();
}

}  // namespace

double best_rate(int threads, const std::function<Portion()>& make) {
  const auto count = static_cast<std::size_t>(std::max(threads, 1));
  std::vector<double> rates(count);
  double best = 0;
  std::barrier together(threads, [&]() noexcept {  // the last one to come adds up
    double sum = 0;
    for (const double rate : rates) sum += rate;
    best = std::max(best, sum);
  });
  const auto work = [&](std::size_t i) {
    const Portion portion = make();
    portion();  // what is touched or loaded for the first time
    for (int n = 0; n < stretches; ++n) {
      together.arrive_and_wait();
      rates[i] = rate_of(portion);
    }
    together.arrive_and_wait();
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < count; ++i) others.emplace_back(work, i);
  work(0);
  return best;
}

}  // namespace kbench
