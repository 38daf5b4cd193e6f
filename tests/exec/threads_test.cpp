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

// Until this process's other threads sleep.
Rest others_at_rest() {
  for (;;) {
    while (has_running_thread(::getpid())) {
    }
    Rest rest(::getpid());
    if (!has_running_thread(::getpid()) && rest.holds(Threads::but_first)) return rest;
  }
}

TEST(Rest, EndsWhenAThreadHasRun) {
  std::binary_semaphore more(0), done(0);
  std::thread thread([&] {
    more.acquire();
    done.release();
    more.acquire();
  });
  const Rest before = others_at_rest();
  EXPECT_TRUE(before.holds(Threads::but_first));
  more.release();
  done.acquire();
  EXPECT_FALSE(before.holds(Threads::but_first));
  EXPECT_TRUE(others_at_rest().holds(Threads::but_first));
  more.release();
  thread.join();
}

// Before the kernel has counted any of its time.
TEST(Rest, EndsWhenAThreadRuns) {
  std::binary_semaphore more(0);
  std::atomic<bool> runs{false}, stop{false};
  std::thread thread([&] {
    more.acquire();
    runs = true;
    while (!stop) {
    }
  });
  const Rest before = others_at_rest();
  more.release();
  while (!runs) {
  }
  EXPECT_FALSE(before.holds(Threads::but_first));
  stop = true;
  thread.join();
}

TEST(Rest, EndsWithANewThreadAndWithOneThatHasEnded) {
  const Rest before = others_at_rest();
  std::binary_semaphore more(0);
  std::thread thread([&] { more.acquire(); });
  EXPECT_FALSE(before.holds(Threads::but_first));
  more.release();
  thread.join();
  EXPECT_FALSE(before.holds(Threads::but_first));
}

TEST(Rest, OfTheFirstThreadThatLooksIsNone) {
  const Rest before(::getpid());
  EXPECT_FALSE(before.is_whole());
  EXPECT_TRUE(before.holds(Threads::but_first));
}

TEST(Threads, AProcessThatIsGoneHasNone) { EXPECT_FALSE(has_running_thread(1 << 30)); }

}  // namespace
}  // namespace kbench
