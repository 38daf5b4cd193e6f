#include "base/cache.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <set>

#include "base/digest.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr CacheLimits ample{1 << 20, 1 << 20};

std::string key_of(int n) { return sha256_hex(std::to_string(n)); }

struct CacheTest : testing::Test {
  TempFolder folder;
  fs::path place = folder.path() / "entries";
  Cache cache{place, ample};

  std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& entry : fs::directory_iterator(place))
      out.insert(entry.path().filename().string());
    return out;
  }
};

TEST_F(CacheTest, GivesBackWhatWasInserted) {
  const std::string body("\0some\nbytes", 11);
  cache.insert(key_of(1), "a text", body);
  const auto entry = cache.find(key_of(1));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->text, "a text");
  EXPECT_EQ(entry->body(), body);
  EXPECT_FALSE(cache.find(key_of(2)));
  EXPECT_EQ(cache.problem(), "");
}

TEST_F(CacheTest, EntriesOfOtherMachinesAreFoundAndDamagedOnesRefused) {
  const fs::path shared = folder.path() / "shared";
  Cache mine{place, ample, shared};
  Cache theirs{folder.path() / "theirs", ample, shared};
  theirs.insert(key_of(1), "a text", "a body");
  EXPECT_FALSE(cache.find(key_of(1)));  // this cache does not share
  ASSERT_TRUE(mine.find(key_of(1)));
  EXPECT_EQ(mine.find(key_of(1))->text, "a text");
  fs::copy_file(shared / key_of(1), shared / key_of(2));  // the entry of another key
  EXPECT_FALSE(mine.find(key_of(2)));
  EXPECT_NE(mine.problem(), "");
  EXPECT_TRUE(fs::exists(shared / key_of(2)));
  ASSERT_EQ(::mkfifo((shared / key_of(3)).c_str(), 0600), 0);
  EXPECT_FALSE(mine.find(key_of(3)));  // nobody waits for a writer there
}

TEST_F(CacheTest, WhatIsFoundThereIsCopiedAndWhatIsLargeStaysHere) {
  const fs::path shared = folder.path() / "shared";
  CacheLimits limits = ample;
  limits.shared_entry_bytes = 1000;
  Cache theirs{folder.path() / "theirs", limits, shared};
  theirs.insert(key_of(1), "a text", "a body");
  theirs.insert(key_of(2), "a text", std::string(1000, 'x'));
  EXPECT_TRUE(theirs.find(key_of(2)));
  EXPECT_FALSE(fs::exists(shared / key_of(2)));
  Cache mine{place, ample, shared};
  const auto found = mine.find(key_of(1));
  ASSERT_TRUE(found);
  std::ofstream(shared / key_of(1)) << "another";
  EXPECT_EQ(found->body(), "a body");
  ASSERT_TRUE(mine.find(key_of(1)));
  EXPECT_EQ(mine.find(key_of(1))->text, "a text");
}

TEST_F(CacheTest, KeepsEmptyOnesAndReplacesOthers) {
  cache.insert(key_of(1), "", "");
  ASSERT_TRUE(cache.find(key_of(1)));
  cache.insert(key_of(1), "second", "");
  EXPECT_EQ(cache.find(key_of(1))->text, "second");
  EXPECT_EQ(cache.use().entries, 1U);
}

TEST_F(CacheTest, AnEntryInUseOutlivesItsEviction) {
  cache.insert(key_of(1), "text", "body");
  const auto entry = cache.find(key_of(1));
  cache.clear();
  EXPECT_FALSE(cache.find(key_of(1)));
  EXPECT_EQ(entry->body(), "body");
}

// Every byte of an entry counts: body, text, sizes, digest.
TEST_F(CacheTest, ADamagedEntryIsNone) {
  cache.insert(key_of(1), "the text", "the body");
  const std::string good = read_file(place / key_of(1));
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string flipped = good;
    flipped[i] ^= 1;
    write_file(place / key_of(1), flipped);
    EXPECT_FALSE(cache.find(key_of(1))) << "byte " << i;
    write_file(place / key_of(1), good.substr(0, i));
    EXPECT_FALSE(cache.find(key_of(1))) << "cut at " << i;
  }
  EXPECT_FALSE(fs::exists(place / key_of(1)));
  write_file(place / key_of(1), good + "x");
  EXPECT_FALSE(cache.find(key_of(1)));
  write_file(place / key_of(2), good);
  EXPECT_FALSE(cache.find(key_of(2))) << "under another key";
  write_file(place / key_of(1), good);
  EXPECT_TRUE(cache.find(key_of(1)));
}

TEST_F(CacheTest, EvictsWhatWasUsedLongestAgo) {
  const std::string body(100, 'x');
  cache.insert(key_of(0), "", body);
  const std::uint64_t size = cache.use().bytes;
  Cache small(place, {3 * size, size});
  for (int n = 1; n < 3; ++n) small.insert(key_of(n), "", body);
  EXPECT_TRUE(small.find(key_of(0)));  // a use now lets the next one go
  small.insert(key_of(3), "", body);
  EXPECT_TRUE(small.find(key_of(0)));
  EXPECT_FALSE(small.find(key_of(1)));
  EXPECT_TRUE(small.find(key_of(2)));
  EXPECT_TRUE(small.find(key_of(3)));
  EXPECT_EQ(small.use().bytes, 3 * size);
}

TEST_F(CacheTest, KeepsNoEntryThatIsTooLarge) {
  Cache small(place, {10000, 1000});
  small.insert(key_of(1), "", std::string(900, 'x'));
  EXPECT_TRUE(small.find(key_of(1)));
  small.insert(key_of(2), "", std::string(1000, 'x'));
  EXPECT_FALSE(small.find(key_of(2)));
  EXPECT_EQ(small.problem(), "");
}

TEST_F(CacheTest, RemovesWhatDeadProcessesLeft) {
  cache.insert(key_of(1), "", "");
  write_file(place / "tmp.dead01", "half an ent");
  write_file(place / "tmp.dead02" / "src" / "kernel.cpp", "");
  write_file(place / (key_of(9) + ".lock"), "");
  {
    const WorkFolder alive = cache.work_folder();
    const Fd lock = cache.lock(key_of(8));
    Cache(place, ample).insert(key_of(2), "", "");
    EXPECT_EQ(names(), (std::set<std::string>{key_of(1), key_of(2), "lock", key_of(8) + ".lock",
                                              alive.path().filename().string()}));
  }
  cache.clear();
  EXPECT_EQ(names(), std::set<std::string>{"lock"});
}

TEST_F(CacheTest, AFolderInThePlaceOfAnEntryMakesRoom) {
  fs::create_directories(place / key_of(1) / "inner");
  EXPECT_FALSE(cache.find(key_of(1)));
  cache.insert(key_of(1), "", "body");
  EXPECT_TRUE(cache.find(key_of(1)));
  fs::create_directories(place / key_of(2) / "inner");
  cache.clear();
  EXPECT_EQ(names(), std::set<std::string>{"lock"});
}

TEST_F(CacheTest, SaysTheOldestAndTheNewestUse) {
  EXPECT_FALSE(cache.use().oldest);
  cache.insert(key_of(1), "", "");
  cache.insert(key_of(2), "", "");
  const CacheUse before = cache.use();
  EXPECT_EQ(before.entries, 2U);
  EXPECT_LT(before.oldest, before.newest);
  cache.find(key_of(1));
  EXPECT_GT(cache.use().oldest, before.oldest);
}

TEST_F(CacheTest, AFolderThatCannotBeIsAProblemAndNoFailure) {
  write_file(folder.path() / "file", "");
  Cache none(folder.path() / "file" / "entries", ample);
  EXPECT_FALSE(none.usable());
  none.insert(key_of(1), "", "body");
  EXPECT_FALSE(none.find(key_of(1)));
  EXPECT_FALSE(none.lock(key_of(1)));
  EXPECT_NE(none.problem(), "");
  EXPECT_THROW(none.use(), std::system_error);
  EXPECT_TRUE(cache.usable());
}

// Content of entry `n`, the one right one of its key; processes of the next test write and read it.
std::string content_of(int n) { return std::string(static_cast<std::size_t>(50 + 37 * n), 'a'); }

[[noreturn]] void hammer(const fs::path& place, unsigned seed, int progress) {
  std::mt19937 random(seed);
  Cache cache(place, {3000, 1000});
  for (int i = 0; i < 400; ++i) {
    const int n = static_cast<int>(random() % 20);
    if (random() % 2 == 0) {
      cache.insert(key_of(n), std::to_string(n), content_of(n));
    } else if (const auto entry = cache.find(key_of(n))) {
      if (entry->text != std::to_string(n) || entry->body() != content_of(n)) ::_exit(1);
    }
    if (random() % 16 == 0) cache.work_folder();
    if (::write(progress, "x", 1) != 1) ::_exit(2);
  }
  ::_exit(cache.problem().empty() ? 0 : 3);
}

struct Hammer {
  pid_t pid = -1;
  int progress = -1;
  unsigned kill_after = 0;  // steps; 0: never
};

Hammer start_hammer(const fs::path& place, unsigned seed, unsigned kill_after) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe");
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    hammer(place, seed, ends[1]);
  }
  ::close(ends[1]);
  return {pid, ends[0], kill_after};
}

// Eight processes use one small cache, and half of them are killed wherever they are.
TEST_F(CacheTest, IsReadableWhateverProcessesDoAndDie) {
  std::vector<Hammer> hammers;
  for (unsigned i = 0; i < 8; ++i)
    hammers.push_back(start_hammer(place, i, i % 2 == 0 ? 0 : 40 * i));
  for (const Hammer& hammer : hammers) {
    char step = 0;
    for (unsigned steps = 0; ::read(hammer.progress, &step, 1) == 1; ++steps) {
      if (hammer.kill_after > 0 && steps == hammer.kill_after) ::kill(hammer.pid, SIGKILL);
    }
    int status = 0;
    ::waitpid(hammer.pid, &status, 0);
    ::close(hammer.progress);
    if (hammer.kill_after == 0) {
      EXPECT_EQ(status, 0);
    } else {
      EXPECT_TRUE(WIFSIGNALED(status) || status == 0) << status;
    }
  }
  Cache after(place, {3000, 1000});
  after.insert(key_of(0), "0", content_of(0));
  EXPECT_LE(after.use().bytes, 3000U);
  const CacheUse use = after.use();
  std::size_t found = 0;
  for (int n = 0; n < 20; ++n) {
    const auto entry = after.find(key_of(n));
    if (!entry) continue;
    ++found;
    EXPECT_EQ(entry->body(), content_of(n));
  }
  EXPECT_EQ(found, use.entries);
  EXPECT_EQ(names().size(), use.entries + 1) << "beside the entries there is the lock alone";
}

}  // namespace
}  // namespace kbench
