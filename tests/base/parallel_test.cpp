#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <thread>
#include <vector>

namespace kbench {
namespace {

TEST(InParallel, DoesEveryTaskOnce) {
  for (const std::size_t count : {0, 1, 7, 1000}) {
    std::vector<std::atomic<int>> done(count);
    in_parallel(count, {3, 2}, [&](std::size_t i) { ++done[i]; });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(InParallel, SharesAmongTheThreadsThatAreAskedFor) {
  std::latch all(3);  // no task ends before three have begun
  in_parallel(3, {3}, [&](std::size_t) { all.arrive_and_wait(); });
}

TEST(InParallel, StartsNoThreadForTooFewTasks) {
  std::set<std::thread::id> threads;
  in_parallel(9, {4, 5}, [&](std::size_t) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(InParallel, TasksDoTheirOwnAlone) {
  std::latch both(2);
  std::atomic<int> alone = 0;
  in_parallel(2, {2}, [&](std::size_t) {
    both.arrive_and_wait();
    std::set<std::thread::id> threads;
    in_parallel(100, {4}, [&](std::size_t) { threads.insert(std::this_thread::get_id()); });
    alone += threads == std::set{std::this_thread::get_id()} ? 1 : 0;
  });
  EXPECT_EQ(alone, 2);
  std::latch again(2);  // and afterwards this thread shares as before
  in_parallel(2, {2}, [&](std::size_t) { again.arrive_and_wait(); });
}

}  // namespace
}  // namespace kbench
