// Exports are overlays that give the entries back.
#include <gtest/gtest.h>

#include "tune/overlay.hpp"
#include "tune/store.hpp"
#include "tune/tuned_example.hpp"

namespace kbench {
namespace {

Overlay read_back(const std::string& text) {
  Diagnostics out;
  auto overlay = read_overlay({"e.json", text}, out);
  EXPECT_TRUE(overlay) << (out.empty() ? "" : out.items()[0].message);
  return overlay ? *overlay : Overlay{};
}

std::string block_at(const Overlay& overlay, std::int64_t m, std::string_view context = "",
                     std::string_view objective = "time") {
  OrderedMap<std::int64_t> axes;
  axes["M"] = m;
  axes["N"] = 4;
  const OverlayRow* const row =
      find_row(overlay, {"scale", "blocked", "fwd", context, objective, axes});
  return row == nullptr ? "" : configuration_text(row->configuration);
}

TEST(Export, GivesTheEntriesBack) {
  TunedExample example;
  const TunedEntry entries[] = {sealed(example.entry(2)), [&] {
                                  example.purpose.direction = "bwd";
                                  return sealed(example.entry(3));
                                }()};
  const std::string text = overlay_text(overlay_of(entries));
  EXPECT_TRUE(text.starts_with(overlay_mark));
  Diagnostics out;
  const std::vector<TunedEntry> back = entries_of(read_back(text), out);
  EXPECT_TRUE(out.empty());
  ASSERT_EQ(back.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(entry_text(back[i]), entry_text(entries[i]));
  EXPECT_EQ(overlay_text(overlay_of(back)), text);
}

TEST(Export, IsForTheCallsThatTheEntriesAreFoundFor) {
  TunedExample example;
  const TunedEntry exact[] = {sealed(example.entry(2))};
  const Overlay of_length = read_back(overlay_text(overlay_of(exact)));
  EXPECT_EQ(block_at(of_length, 64), "BLOCK=2");
  EXPECT_EQ(block_at(of_length, 63), "");
  EXPECT_EQ(block_at(of_length, 64, "sharded"), "");
  EXPECT_EQ(block_at(of_length, 64, "", "cold"), "");
  example.tunables.buckets["M"] = "pow2";
  for (const std::int64_t m : {1, 2, 48}) {
    example.set_length(m);
    const TunedEntry one[] = {sealed(example.entry(3))};
    const Overlay of_bucket = read_back(overlay_text(overlay_of(one)));
    for (const std::int64_t other : {1, 2, 3, 32, 33, 64, 65}) {
      const bool is_shared = pow2_bucket(other) == pow2_bucket(m);
      EXPECT_EQ(block_at(of_bucket, other), is_shared ? "BLOCK=3" : "") << m << " " << other;
    }
  }
}

TEST(Export, ConditionsThatTellLengthsOfABucketApartAreKept) {
  TunedExample example;
  example.tunables.buckets["M"] = "pow2";
  example.tunables.key.push_back({"M % 16 == 0", {}});
  std::vector<TunedEntry> entries;
  for (const std::int64_t m : {48, 49}) {
    example.set_length(m);
    entries.push_back(sealed(example.entry(m == 48 ? 2 : 3)));
  }
  const Overlay overlay = read_back(overlay_text(overlay_of(entries)));
  EXPECT_EQ(block_at(overlay, 64), "BLOCK=2");
  EXPECT_EQ(block_at(overlay, 50), "BLOCK=3");
}

TEST(Import, TakesNothingThatWasEdited) {
  const TunedExample example;
  const TunedEntry entries[] = {sealed(example.entry(2))};
  const std::string good = overlay_text(overlay_of(entries));
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    const auto at = bad.find(from);
    EXPECT_NE(at, bad.npos) << from;
    bad.replace(at, from.size(), to);
    Diagnostics out;
    EXPECT_TRUE(entries_of(read_back(bad), out).empty()) << from;
    EXPECT_EQ(out.errors(), 1U) << from;
    EXPECT_EQ(out.empty() ? 0 : out.items()[0].where.line, 4) << from;
    return out.empty() ? "" : out.items()[0].message;
  };
  EXPECT_NE(refused("\"seed\": \"7\"", "\"seed\": \"8\"").find("another digest"),
            std::string::npos);
  EXPECT_NE(refused("\"version\": \"0\"", "\"version\": \"1\"").find("that of its parts"),
            std::string::npos);
  EXPECT_NE(refused("\"BLOCK\": 2", "\"BLOCK\": 3").find("and the row has BLOCK=3"),
            std::string::npos);
  EXPECT_NE(refused("\"schema\": \"kbench.tuned/1\"", "\"schema\": \"x\"").find("no entry"),
            std::string::npos);
}

}  // namespace
}  // namespace kbench
