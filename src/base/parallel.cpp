#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace kbench {
namespace {

thread_local bool is_shared = false;  // set in a thread that does shared tasks

std::size_t threads_for(std::size_t count, const Sharing& sharing) {
  if (is_shared) return 1;
  const std::size_t most = sharing.threads > 0 ? static_cast<std::size_t>(sharing.threads)
                                               : std::max(1U, std::thread::hardware_concurrency());
  return std::min(most, count / sharing.least);
}

}  // namespace

void in_parallel(std::size_t count, const Sharing& sharing,
                 const std::function<void(std::size_t)>& task) {
  const std::size_t threads = threads_for(count, sharing);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    const bool was_shared = is_shared;
    is_shared = was_shared || threads > 1 || sharing.threads == 1;
    for (std::size_t i = next++; i < count; i = next++) task(i);
    is_shared = was_shared;
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
}

}  // namespace kbench
