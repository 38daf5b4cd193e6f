// Cores of judge and worker while calls are timed by the judge.
#pragma once

#include <sched.h>

#include <string_view>
#include <vector>

namespace kbench {

// The judge's own core, and the worker's. No cores: both may run anywhere.
struct CoreSplit {
  int judge = -1;
  std::vector<int> worker;

  bool is_pinned() const { return judge >= 0; }
};

// Splits the cores that the caller may use: the first is the judge's where that leaves as many for
// the worker as it has threads, which then has exactly so many; those that share the judge's
// hardware are nobody's, where enough others are left. `siblings` says which ones those are.
CoreSplit split_cores(const std::vector<int>& cores, const std::vector<int>& siblings, int threads);

// Splits this process's cores, with the siblings that this machine names.
CoreSplit split_cores(int threads);

// "0-1,4": a list of cores as the kernel writes it.
std::vector<int> parse_cores(std::string_view text);

// Cores that the caller may use.
std::vector<int> usable_cores();

// Divides cores into so many parts of one size: those left over are nobody's.
std::vector<std::vector<int>> core_shares(const std::vector<int>& cores, std::size_t parts);

// Keeps the calling thread, and those that it starts from now on, to these cores.
void keep_to(const std::vector<int>& cores);

// Keeps the calling thread on the judge's core while it lives.
class OnJudgesCore {
 public:
  explicit OnJudgesCore(const CoreSplit& cores);
  ~OnJudgesCore();
  OnJudgesCore(const OnJudgesCore&) = delete;
  OnJudgesCore& operator=(const OnJudgesCore&) = delete;

 private:
  bool is_set_ = false;
  cpu_set_t before_{};
};

}  // namespace kbench
