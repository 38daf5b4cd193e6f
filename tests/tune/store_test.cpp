// The store of tuned configurations: docs/tuned-store.md.
#include "tune/store.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <set>
#include <thread>

#include "base/cache.hpp"
#include "base/text.hpp"
#include "support/temp_folder.hpp"
#include "tune/tuned_example.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct StoreTest : testing::Test {
  TempFolder folder;
  fs::path root = folder.path() / "tuned" / "v1";
  std::vector<std::string> warnings;
  TunedStore store{root, [this](const std::string& text) { warnings.push_back(text); }};
  TunedExample example;

  // Returns an entry of its own for each number.
  TunedEntry entry(int number, std::int64_t value = 2) {
    example.set_length(number);
    return example.entry(value);
  }
  std::set<std::string> files() const {
    std::set<std::string> out;
    if (!fs::exists(root)) return out;
    for (const auto& one : fs::recursive_directory_iterator(root)) {
      if (one.is_regular_file()) out.insert(one.path().lexically_relative(root).string());
    }
    return out;
  }
};

TEST_F(StoreTest, NothingIsMadeBeforeTheFirstEntry) {
  EXPECT_FALSE(store.find(example.key()));
  EXPECT_TRUE(list_store(root).entries.empty());
  EXPECT_FALSE(fs::exists(folder.path() / "tuned"));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(StoreTest, GivesBackWhatWasPut) {
  store.put(example.entry(3));
  const auto found = store.find(example.key());
  ASSERT_TRUE(found);
  EXPECT_EQ(entry_text(*found), entry_text(sealed(example.entry(3))));
  example.set_length(65);
  EXPECT_FALSE(store.find(example.key()));
  EXPECT_TRUE(warnings.empty());
  const std::string key = found->key;
  EXPECT_EQ(files(),
            (std::set<std::string>{"scale/blocked/" + key + ".json", "scale/blocked/lock"}));
}

TEST_F(StoreTest, ALaterEntryTakesThePlaceOfTheOneBefore) {
  store.put(entry(1, 2));
  store.put(entry(1, 3));
  EXPECT_EQ(list_store(root).entries.size(), 1U);
  EXPECT_EQ(configuration_text(store.find(example.key())->configuration), "BLOCK=3");
}

TEST_F(StoreTest, OfASearchThatWasCutShortItTakesNoWholeOnesPlace) {
  TunedEntry cut = entry(1, 2);
  cut.cut_short = "budget";
  cut.space = 7;
  EXPECT_TRUE(store.put(cut));
  EXPECT_EQ(store.find(example.key())->cut_short, "budget");
  cut.configuration = TunedExample::block(7);
  EXPECT_TRUE(store.put(cut));
  EXPECT_EQ(configuration_text(store.find(example.key())->configuration), "BLOCK=7");
  EXPECT_TRUE(store.put(entry(1, 3)));
  EXPECT_FALSE(store.put(cut));
  EXPECT_EQ(configuration_text(store.find(example.key())->configuration), "BLOCK=3");
  EXPECT_FALSE(store.find(example.key())->cut_short);
}

TEST_F(StoreTest, S15_ADamagedFileIsPutAsideWithOneWarning) {
  store.put(example.entry(2));
  const fs::path file = store.file_of(example.key());
  const std::string good = read_file(file);
  const std::string damaged[] = {good.substr(0, good.size() / 2), "", "not JSON", "[]",
                                 "{\"schema\": \"kbench.tuned/1\"}"};
  for (const std::string& text : damaged) {
    write_file(file, text);
    warnings.clear();
    EXPECT_FALSE(store.find(example.key()));
    EXPECT_FALSE(store.find(example.key()));
    ASSERT_EQ(warnings.size(), 1U) << text;
    EXPECT_NE(warnings[0].find(file.string()), std::string::npos);
    EXPECT_FALSE(fs::exists(file));
    EXPECT_EQ(read_file(file.string() + ".corrupt"), text);
  }
  store.put(example.entry(2));
  EXPECT_TRUE(store.find(example.key()));
  EXPECT_EQ(list_store(root).quarantined.size(), 1U);
}

TEST_F(StoreTest, S15_AnEntryOfSomethingElseIsNone) {
  store.put(example.entry(2));
  const std::string one = read_file(store.file_of(example.key()));
  example.set_length(65);
  write_file(store.file_of(example.key()), one);
  EXPECT_FALSE(store.find(example.key()));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("it is the entry"), std::string::npos);
}

TEST_F(StoreTest, AFolderInThePlaceOfAnEntryIsPutAsideToo) {
  fs::create_directories(store.file_of(example.key()));
  EXPECT_FALSE(store.find(example.key()));
  EXPECT_EQ(warnings.size(), 1U);
  store.put(example.entry(2));
  EXPECT_TRUE(store.find(example.key()));
}

TEST_F(StoreTest, NamesOfAnyKindAreSafe) {
  const std::string names[] = {"../../etc/passwd",
                               "a/b",
                               ".",
                               "..",
                               "",
                               "\xff\xfe",
                               "a b\n",
                               ".hidden",
                               std::string(5000, 'x'),
                               std::string("a\0b", 3),
                               "lock",
                               "%2F",
                               "/"};
  std::set<std::string> made;
  for (const std::string& name : names) {
    made.insert(file_name_of(name));
    EXPECT_LE(file_name_of(name).size(), 200U);
    EXPECT_EQ(file_name_of(name).find('/'), std::string::npos);
    EXPECT_NE(file_name_of(name).front(), '.');
    if (name.empty()) continue;  // no record has such a name
    example.solution.name = name;
    store.put(example.entry(2));
    EXPECT_TRUE(store.find(example.key())) << name;
  }
  EXPECT_EQ(made.size(), std::size(names));
  const StoreListing listing = list_store(root);
  EXPECT_EQ(listing.entries.size(), std::size(names) - 1);
  EXPECT_TRUE(listing.damaged.empty()) << listing.damaged[0].file << listing.damaged[0].why;
  for (const auto& one : fs::directory_iterator(folder.path()))
    EXPECT_EQ(one.path().filename(), "tuned");
}

TEST_F(StoreTest, WhereItCannotBeWrittenThatIsSaid) {
  folder.write("file", "x");
  const TunedStore blocked(folder.path() / "file" / "v1");
  EXPECT_FALSE(blocked.find(example.key()));
  try {
    blocked.put(example.entry(2));
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("file"), std::string::npos);
  }
  EXPECT_THROW(blocked.lock(example.key()), std::system_error);
}

// The limit of a file's size stands for a full disk: the same path of write(2).
TEST_F(StoreTest, AFullDiskLeavesWhatWasThere) {
  store.put(entry(1, 2));
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      store.put(entry(1, 3));
      ::_exit(1);
    } catch (const std::system_error&) {
      ::_exit(0);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(configuration_text(store.find(entry(1).parts)->configuration), "BLOCK=2");
  EXPECT_EQ(files().size(), 2U);  // no temporary one is left
}

TEST_F(StoreTest, S14_EightProcessesLoseNoEntry) {
  constexpr int processes = 8;
  constexpr int each = 50;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int i = 0; i < each; ++i) store.put(entry(p * each + i + 1, 3));
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const StoreListing listing = list_store(root);
  EXPECT_EQ(listing.entries.size(), static_cast<std::size_t>(processes * each));
  EXPECT_TRUE(listing.damaged.empty());
  for (int i = 1; i <= processes * each; ++i) EXPECT_TRUE(store.find(entry(i).parts)) << i;
}

TEST_F(StoreTest, S14_ThreadsThatReadWhileOthersWriteSeeWholeEntries) {
  const TuningKey key = example.key();
  store.put(example.entry(2));
  const TunedEntry other = example.entry(3);
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) store.put(other);
  });
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(store.find(key));
  writer.join();
  EXPECT_TRUE(warnings.empty());
}

// Puts entries without end and says of each, once it is there; killed after so many microseconds.
// Returns the number of those that it has said.
int put_until_killed(const StoreTest& test, const std::function<TunedEntry(int)>& entry, int first,
                     useconds_t after) {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    for (int i = first;; ++i) {
      test.store.put(entry(i));
      if (::write(ends[1], "x", 1) != 1) ::_exit(1);
    }
  }
  ::close(ends[1]);
  ::usleep(after);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  int said = 0;
  char ignored = 0;
  while (::read(ends[0], &ignored, 1) == 1) ++said;
  ::close(ends[0]);
  return said;
}

TEST_F(StoreTest, KilledAtAnyMomentItLeavesWholeEntries) {
  const int kills = std::getenv("KBENCH_FULL") != nullptr ? 200 : 20;
  std::mt19937 random(20261124);
  int next = 1;
  std::set<int> acknowledged;
  for (int i = 0; i < kills; ++i) {
    const auto after = static_cast<useconds_t>(random() % 20'000);
    const int said = put_until_killed(
        *this, [this](int n) { return entry(n, 3); }, next, after);
    ASSERT_GE(said, 0);
    for (int n = 0; n < said; ++n) acknowledged.insert(next + n);
    next += said + 1;  // the one in hand may be there, too
    const StoreListing listing = list_store(root);
    ASSERT_TRUE(listing.damaged.empty()) << listing.damaged[0].why;
    ASSERT_GE(listing.entries.size(), acknowledged.size());
  }
  EXPECT_GT(acknowledged.size(), 0U);
  for (const int number : acknowledged) EXPECT_TRUE(store.find(entry(number).parts)) << number;
  EXPECT_TRUE(warnings.empty());
  const Fd lock = store.lock(entry(1).parts);  // the next one to tune clears up
  for (const std::string& file : files()) EXPECT_EQ(file.find("tmp."), std::string::npos) << file;
}

TEST_F(StoreTest, OneTunesAndTheOthersWait) {
  Fd held = store.lock(example.key());
  bool waited = false;
  bool is_free = false;
  std::thread other([&] {
    const Fd later = store.lock(example.key(), [&] {
      waited = true;
      EXPECT_FALSE(is_free);
      is_free = true;
      held.reset();
    });
    EXPECT_TRUE(static_cast<bool>(later));
  });
  other.join();
  EXPECT_TRUE(waited);
  example.set_length(65);  // nobody waits for another key
  const Fd first = store.lock(example.key());
  EXPECT_TRUE(static_cast<bool>(first));
}

TEST_F(StoreTest, ALockGoesWithItsProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Fd held = store.lock(example.key());
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  bool waited = false;
  const Fd lock = store.lock(example.key(), [&] { waited = true; });
  EXPECT_TRUE(static_cast<bool>(lock));
  EXPECT_FALSE(waited);
}

TEST_F(StoreTest, AListingTellsWhatIsDamagedAndChangesNothing) {
  for (int i = 1; i <= 3; ++i) store.put(entry(i));
  const fs::path torn = store.file_of(entry(2).parts);
  write_file(torn, "{");
  const fs::path elsewhere = root / "other" / "blocked" / store.file_of(entry(3).parts).filename();
  write_file(elsewhere, read_file(store.file_of(entry(3).parts)));
  const StoreListing listing = list_store(root);
  EXPECT_EQ(listing.entries.size(), 2U);
  ASSERT_EQ(listing.damaged.size(), 2U);
  EXPECT_EQ(listing.damaged[0].file, elsewhere);
  EXPECT_NE(listing.damaged[0].why.find("it belongs to scale/blocked/"), std::string::npos);
  EXPECT_EQ(listing.damaged[1].file, torn);
  EXPECT_TRUE(fs::exists(torn));
  remove_from_store(torn);
  EXPECT_FALSE(fs::exists(torn));
}

TEST_F(StoreTest, LiesBelowTheCaches) { EXPECT_EQ(tuned_root(), cache_root() / "tuned" / "v1"); }

}  // namespace
}  // namespace kbench
