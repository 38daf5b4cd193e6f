#include "exec/threads.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <semaphore>
#include <thread>

namespace kbench {
namespace {

TEST(Threads, TheFirstOneIsNotLookedAt) { EXPECT_FALSE(has_running_thread(::getpid())); }

TEST(Threads, OneThatRunsIsSeenAndOneThatWaitsIsNot) {
  std::atomic<bool> stop{false};
  std::binary_semaphore done(0);
  std::thread thread([&] {
    while (!stop) {
    }
    done.acquire();
  });
  EXPECT_TRUE(has_running_thread(::getpid()));
  stop = true;
  while (has_running_thread(::getpid())) {  // until it has come to rest
  }
  done.release();
  thread.join();
}

TEST(Threads, AProcessThatIsGoneHasNone) { EXPECT_FALSE(has_running_thread(1 << 30)); }

}  // namespace
}  // namespace kbench
