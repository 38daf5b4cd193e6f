#include <gtest/gtest.h>

#include "tune/store.hpp"
#include "tune/tuned_example.hpp"

namespace kbench {
namespace {

std::string why_not(const std::string& text) {
  EntryFlaw flaw;
  EXPECT_FALSE(read_entry({"entry.json", text}, flaw)) << text;
  EXPECT_NE(flaw.message, "");
  return flaw.text();
}

TEST(TunedEntry, IsReadAsItWasWritten) {
  TunedExample example;
  TunedEntry entry = example.entry(2);
  entry.configuration["F"] = 4.0;
  entry.configuration["T"] = true;
  entry.configuration["W"] = std::string("row");
  entry.candidates.push_back({entry.configuration, "PASSED", {}, 0.1 + 0.2, 1e300, 3, 1.0 / 3});
  const TunedEntry whole = sealed(entry);
  EntryFlaw flaw;
  const auto read = read_entry({"entry.json", entry_text(whole)}, flaw);
  ASSERT_TRUE(read) << flaw.text();
  EXPECT_EQ(flaw.text(), "");
  EXPECT_EQ(entry_text(*read), entry_text(whole));
  EXPECT_TRUE(same_configuration(read->configuration, entry.configuration));
  EXPECT_EQ(read->candidates.back().median_ns, 0.1 + 0.2);
  EXPECT_EQ(short_key(read->parts), read->key);
}

TEST(TunedEntry, WithAnyByteChangedItIsNone) {
  const std::string good = entry_text(sealed(TunedExample().entry(2)));
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1;
    EntryFlaw flaw;
    const auto read = read_entry({"entry.json", bad}, flaw);
    // A blank in place of a line break or the like says the same.
    if (read) {
      EXPECT_EQ(entry_text(*read), good);
    }
    accepted += read ? 1 : 0;
    EXPECT_EQ(read.has_value(), flaw.text().empty());
  }
  EXPECT_LT(accepted, good.size() / 4);
}

TEST(TunedEntry, CutAnywhereItIsNone) {
  const std::string good = entry_text(sealed(TunedExample().entry(2)));
  for (std::size_t i = 0; i + 2 < good.size(); i += 7) why_not(good.substr(0, i));
}

TEST(TunedEntry, SaysWhatIsWrong) {
  EXPECT_EQ(why_not("[]"), "line 1: expected an object, found array");
  EXPECT_NE(why_not("{\"schema\": 1").find("line 1"), std::string::npos);
  TunedEntry entry = sealed(TunedExample().entry(2));
  entry.parts.version = "9";
  EXPECT_NE(why_not(entry_text(entry)).find("that of its parts"), std::string::npos);
  entry = sealed(TunedExample().entry(2));
  entry.configuration["BLOCK"] = std::int64_t{3};
  EXPECT_NE(why_not(entry_text(entry)).find("another digest"), std::string::npos);
  entry.schema = "kbench.tuned/2";
  EXPECT_NE(why_not(entry_text(sealed(entry))).find("expected \"kbench.tuned/1\""),
            std::string::npos);
}

// Row S11 of ej.md §6.2: the heuristic stays within noise.
TEST(TunedEntry, S11_ATieKeepsTheHeuristic) {
  TunedEntry entry = TunedExample().entry(2);
  entry.decided = Decision::tied;
  EXPECT_NE(why_not(entry_text(sealed(entry))).find("nothing was faster than the heuristic's"),
            std::string::npos);
  entry.configuration = entry.heuristic->configuration;
  EntryFlaw flaw;
  EXPECT_TRUE(read_entry({"entry.json", entry_text(sealed(entry))}, flaw)) << flaw.text();
  entry.heuristic.reset();
  why_not(entry_text(sealed(entry)));
}

}  // namespace
}  // namespace kbench
