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

TEST(Threads, TheTimeOfOneThatRestsStandsStill) {
  std::binary_semaphore more(0);
  std::binary_semaphore done(0);
  std::thread thread([&] {
    for (int i = 0; i < 2; ++i) {
      more.acquire();
      done.release();
    }
  });
  const auto rest = [] {
    for (ThreadUse before;;) {
      const ThreadUse now = use_of(::getpid(), Threads::but_first);
      if (!now.runs && now == before) return now;
      before = now;
    }
  };
  const ThreadUse before = rest();
  EXPECT_EQ(use_of(::getpid(), Threads::but_first), before);
  more.release();
  done.acquire();
  EXPECT_NE(rest(), before);
  more.release();
  thread.join();
}

TEST(Threads, AProcessThatIsGoneHasNone) { EXPECT_FALSE(has_running_thread(1 << 30)); }

}  // namespace
}  // namespace kbench
