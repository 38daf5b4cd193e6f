#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <semaphore>
#include <thread>

#include "exec/waiting.hpp"

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

// Another process with a thread beside its first one, which does what it is told by a letter and
// then answers. The kernel knows more of its own process.
class Other {
 public:
  Other() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0);
    process_ = ::fork();
    if (process_ == 0) obey();
    ::close(ends_[1]);
  }
  ~Other() {
    ::close(ends_[0]);
    ::waitpid(process_, nullptr, 0);
  }
  void tell(char what) const {
    EXPECT_EQ(::write(ends_[0], &what, 1), 1);
    EXPECT_EQ(::read(ends_[0], &what, 1), 1);
  }
  Rest at_rest() const {
    for (;;) {
      Rest rest(process_);
      for (int i = 0; i < 1000; ++i) ::sched_yield();
      if (rest.is_whole() && rest.holds(Threads::all)) return rest;
    }
  }

 private:
  [[noreturn]] void obey() const {
    ::close(ends_[0]);
    std::counting_semaphore more(0), done(0);
    std::atomic<bool> spins{false}, stop{false};
    std::thread second([&] {
      for (;; done.release()) {
        more.acquire();
        for (spins = true; !stop;) {
        }
      }
    });
    for (char what = 0; ::read(ends_[1], &what, 1) == 1;) {
      if (what == 'r') more.release();  // it runs
      while (what == 'r' && !spins) {
      }
      if (what == 's') stop = true;  // it stops
      if (what == 's') done.acquire();
      if (what == 't') std::thread([] {}).join();                      // a third one comes and goes
      if (what == 'u') std::thread([&] { done.acquire(); }).detach();  // and stays
      if (::write(ends_[1], &what, 1) != 1) break;
    }
    ::_exit(0);
  }

  int ends_[2] = {};
  pid_t process_ = -1;
};

TEST(Rest, OfOthersHoldsWhileTheFirstThreadWorks) {
  const Other other;
  const Rest before = other.at_rest();
  other.tell(' ');
  EXPECT_TRUE(before.holds(Threads::but_first));
  EXPECT_FALSE(before.holds(Threads::all));
  EXPECT_GT(other.at_rest().first_ns(), before.first_ns());
}

// Also before the kernel has counted any of its time.
TEST(Rest, EndsWhenAThreadRuns) {
  const Other other;
  const Rest before = other.at_rest();
  other.tell('r');
  EXPECT_FALSE(before.holds(Threads::but_first));
  EXPECT_FALSE(before.holds(Threads::all));
  other.tell('s');
}

TEST(Rest, EndsWhenAThreadHasRun) {
  const Other other;
  const Rest before = other.at_rest();
  other.tell('r');
  other.tell('s');
  EXPECT_FALSE(before.holds(Threads::but_first));
  EXPECT_TRUE(other.at_rest().holds(Threads::but_first));
}

TEST(Rest, EndsWithANewThread) {
  for (const char how : {'t', 'u'}) {
    const Other other;
    const Rest before = other.at_rest();
    other.tell(how);
    EXPECT_FALSE(before.holds(Threads::but_first)) << how;
  }
}

TEST(Threads, AProcessThatIsGoneHasNone) { EXPECT_FALSE(has_running_thread(1 << 30)); }

}  // namespace
}  // namespace kbench
