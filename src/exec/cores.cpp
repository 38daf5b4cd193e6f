#include "exec/cores.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace kbench {
namespace {

bool contains(const std::vector<int>& cores, int core) {
  return std::find(cores.begin(), cores.end(), core) != cores.end();
}

}  // namespace

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;  // cores beyond 1024 do not fit
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) cores.push_back(i);
  }
  return cores;
}

std::vector<int> parse_cores(std::string_view text) {
  std::vector<int> cores;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc{}) break;
    int last = first;
    if (read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    for (int core = first; core <= std::min(last, CPU_SETSIZE - 1); ++core) cores.push_back(core);
    at = read.ptr + 1;  // the comma
  }
  return cores;
}

CoreSplit split_cores(const std::vector<int>& cores, const std::vector<int>& siblings,
                      int threads) {
  CoreSplit split;
  std::vector<int> others;
  std::vector<int> apart;
  for (std::size_t i = 1; i < cores.size(); ++i) {
    others.push_back(cores[i]);
    if (!contains(siblings, cores[i])) apart.push_back(cores[i]);
  }
  const auto wanted = static_cast<std::size_t>(std::max(1, threads));
  if (others.size() < wanted) return split;
  split.judge = cores.front();
  split.worker = apart.size() >= wanted ? apart : others;
  split.worker.resize(wanted);
  return split;
}

CoreSplit split_cores(int threads) {
  const std::vector<int> cores = usable_cores();
  if (cores.empty()) return {};
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cores.front()) +
                     "/topology/thread_siblings_list");
  std::string text;
  std::getline(file, text);
  return split_cores(cores, parse_cores(text), threads);
}

std::vector<std::vector<int>> core_shares(const std::vector<int>& cores, std::size_t parts) {
  const std::size_t each = cores.size() / parts;
  std::vector<std::vector<int>> shares(parts);
  for (std::size_t i = 0; i < parts * each; ++i) shares[i / each].push_back(cores[i]);
  return shares;
}

void keep_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  if (!cores.empty()) ::sched_setaffinity(0, sizeof set, &set);
}

OnJudgesCore::OnJudgesCore(const CoreSplit& cores) {
  if (!cores.is_pinned() || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cores.judge, &one);
  is_set_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
}

OnJudgesCore::~OnJudgesCore() {
  if (is_set_) ::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace kbench
