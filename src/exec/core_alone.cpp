#include "exec/core_alone.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "base/core_share.hpp"

namespace kbench {
namespace {

// Looks at one core, sorted.
std::vector<double> looks_at(int core, std::chrono::milliseconds time) {
  const OnJudgesCore there({core, {}});
  std::vector<double> looks;
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end)
    if (const auto look = look_at_core()) looks.push_back(*look);
  std::sort(looks.begin(), looks.end());
  return looks;
}

// One look in a thousand says far too little, since the clock of a virtual machine jumps: some are
// left out.
double least_of(const std::vector<double>& sorted) {
  constexpr std::size_t fewest = 8, share = 100;
  const std::size_t left_out = std::max(fewest, sorted.size() / share);
  return sorted.size() > left_out ? sorted[left_out] : INFINITY;
}

std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Cores of one processor may be of two makes, whose adders and multipliers differ.
std::string make_of(int core) {
  const std::string capacity =
      line_of("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/cpu_capacity");
  const std::vector<int> small = parse_cores(line_of("/sys/devices/cpu_atom/cpus"));
  const bool is_small = std::find(small.begin(), small.end(), core) != small.end();
  return capacity + (is_small ? " small" : "");
}

// The least that was seen on any core of a make.
class KnownCores {
 public:
  // Looks at a core once more; -1: at any. Returns these looks.
  std::vector<double> look(int core) {
    const std::lock_guard lock(mutex_);
    const bool is_first = !makes_.contains(core);
    if (is_first) makes_[core] = make_of(core);
    std::vector<double> looks = looks_at(core, std::chrono::milliseconds(is_first ? 20 : 1));
    double& least = least_.try_emplace(makes_[core], INFINITY).first->second;
    least = std::min(least, least_of(looks));
    return looks;
  }
  // It has been looked at.
  double least(int core) {
    const std::lock_guard lock(mutex_);
    return least_.at(makes_.at(core));
  }

 private:
  std::mutex mutex_;
  std::map<int, std::string> makes_;  // by core, for those that were looked at
  std::map<std::string, double> least_;
};

KnownCores& known_cores() {
  static KnownCores known;
  return known;
}

// How much longer a look takes now than with the core alone, on average.
double use_by_others(int core) {
  const std::vector<double> looks = known_cores().look(core);
  if (looks.empty()) return INFINITY;
  return std::accumulate(looks.begin(), looks.end(), 0.0) / static_cast<double>(looks.size()) /
         known_cores().least(core);
}

}  // namespace

double look_of_core_alone(const CoreSplit& cores) {
  const int core = cores.worker.empty() ? -1 : cores.worker.front();
  known_cores().look(core);
  return known_cores().least(core);
}

CoreSplit split_quiet_core() {
  constexpr std::size_t most = 8;
  const CoreSplit usual = split_cores(1);
  if (!usual.is_pinned()) return usual;
  std::vector<int> cores = usable_cores();
  cores.resize(std::min(cores.size(), most));
  std::map<double, int> by_use;
  for (const int core : cores) by_use.emplace(use_by_others(core), core);
  const int quietest = by_use.begin()->second;
  if (quietest != usual.judge) return {usual.judge, {quietest}};
  return {usual.worker.front(), {quietest}};
}

}  // namespace kbench
