#include "exec/waiting.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <semaphore>
#include <thread>

namespace kbench {
namespace {

using std::chrono::milliseconds;

class Watch : public testing::Test {
 protected:
  CallWatch::Clock::time_point begin_{};
  CallWatch watch_{1.0, 5.0, 7, begin_};  // a second a call, five in all; seven calls are over

  std::optional<double> look(std::uint64_t calls, int ms) {
    return watch_.look(calls, begin_ + milliseconds(ms));
  }
};

TEST_F(Watch, ACallHasItsLimit) {
  EXPECT_FALSE(look(8, 100));
  EXPECT_FALSE(look(8, 1099));
  EXPECT_EQ(look(8, 1100), 1.0);
}

TEST_F(Watch, NoCallAtAllHasItToo) {
  EXPECT_FALSE(look(7, 999));
  EXPECT_EQ(look(7, 1000), 1.0);
}

TEST_F(Watch, ProgressGivesTheNextCallItsTime) {
  for (int i = 1; i <= 5; ++i) EXPECT_FALSE(look(7U + static_cast<unsigned>(i), i * 900)) << i;
  EXPECT_FALSE(look(12, 4999));
}

TEST_F(Watch, FeignedProgressEndsAtTheLimitOfTheWhole) {
  for (int ms = 0; ms < 5000; ms += 100) ASSERT_FALSE(look(static_cast<unsigned>(ms), ms)) << ms;
  EXPECT_EQ(look(12345, 5000), 5.0);
}

TEST_F(Watch, LooksOftenEnoughAndNeverPastALimit) {
  EXPECT_FALSE(look(8, 0));
  EXPECT_LE(watch_.next_look() - begin_, milliseconds(63));
  EXPECT_FALSE(look(8, 999));
  EXPECT_EQ(watch_.next_look() - begin_, milliseconds(1000));
  EXPECT_FALSE(look(9, 4990));
  EXPECT_EQ(watch_.next_look() - begin_, milliseconds(5000));
}

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
  while (has_running_thread(::getpid())) {  // ends once it has come to rest
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
      if (what == 'u') std::thread([&] { done.acquire(); }).detach();  // one comes and stays
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

// It ends also before the kernel has counted any of its time.
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
