#include "base/text.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <thread>
#include <vector>

#include "base/parallel.hpp"

namespace kbench {
namespace {

TEST(PythonText, AsPythonPrints) {
  EXPECT_EQ(python_string("it's"), "\"it's\"");
  EXPECT_EQ(python_string("a'b\"c\\\n\x01é"), "'a\\'b\"c\\\\\\n\\x01é'");
  EXPECT_EQ(python_tuple(std::vector<std::int64_t>{}), "()");
  EXPECT_EQ(python_tuple(std::vector<std::int64_t>{4}), "(4,)");
  EXPECT_EQ(python_tuple(std::vector<std::int64_t>{2, 3}), "(2, 3)");
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("caf\xc3\xa9 1 % 2"), "caf\xc3\xa9 1 % 2");
  EXPECT_EQ(printable("\x1b[31mred\x07\n"), "\\x1b[31mred\\x07\\x0a");
  EXPECT_EQ(printable("a\u0085b\u202ec\u00a0d"), "a\\xc2\\x85b\\xe2\\x80\\xaec\u00a0d");
  EXPECT_EQ(printable("\xe2"), "\\xe2");
  EXPECT_EQ(printable("\xe2\x1b[2J\xf0\x07"), "\\xe2\\x1b[2J\\xf0\\x07");
  EXPECT_EQ(printable("\x9b"
                      "1m\uffff"),
            "\\x9b1m\\xef\\xbf\\xbf");
}

// GitHub reads the log of a job line by line: a candidate's text would add annotations, or stop
// those of kbench.
TEST(Printable, EscapesWhatGitHubWouldObey) {
  EXPECT_EQ(printable("::error::x"), "\\x3a:error::x");
  EXPECT_EQ(printable("a ##[add-mask]b"), "a \\x23#[add-mask]b");
  EXPECT_EQ(printable("kernel.cpp::run # ## std::vector"), "kernel.cpp::run # ## std::vector");
  EXPECT_EQ(printable_lines("a\n  ::stop-commands::y"), "a\n  \\x3a:stop-commands::y");
  EXPECT_EQ(printable_in_columns("  ::x ##[y]"), "  ?:x ?#[y]");
}

std::string near(std::string_view word, const std::vector<std::string>& known) {
  return nearest(word, known);
}

TEST(Nearest, IsWithinAThirdOfTheLetters) {
  EXPECT_EQ(near("formt", {"table", "format"}), "format");
  EXPECT_EQ(near("FORMAT", {"format"}), "format");
  EXPECT_EQ(near("rmsnrm_h129", {"rmsnorm_h128", "gemm"}), "rmsnorm_h128");
  EXPECT_EQ(near("frobnicate", {"validate", "run"}), "");
  EXPECT_EQ(near("x", {"y"}), "");
}

TEST(Nearest, TakesSwappedNeighboursForOneEdit) {
  EXPECT_EQ(near("claer", {"info", "clear"}), "clear");
  EXPECT_EQ(near("rnu", {"run"}), "run");
  EXPECT_EQ(near("abdc", {"dcba"}), "");  // no other order of its letters
}

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
  std::latch again(2);  // this thread shares again as before
  in_parallel(2, {2}, [&](std::size_t) { again.arrive_and_wait(); });
}

}  // namespace

}  // namespace kbench
