// Exports are overlays that give the entries back.
#include "tune/overlay.hpp"

#include <gtest/gtest.h>

#include "support/said.hpp"
#include "tune/store.hpp"
#include "tune/tuned_example.hpp"

namespace kbench {
namespace {

using ReadOverlay = ReadText<std::optional<Overlay>>;

ReadOverlay read_rows(const std::string& rows) {
  Diagnostics out;
  return {read_overlay({"o.json",
                        "{\"schema\": \"kbench.overlay/1\", \"configurations\": [\n" + rows + "]}"},
                       out),
          text_of(out)};
}

std::string row(const std::string& more, int block) {
  return R"({"definition": "scale", "solution": "blocked", )" + more +
         R"("configuration": {"BLOCK": )" + std::to_string(block) + "}}";
}

std::string found(const Overlay& overlay, std::int64_t m, std::string_view direction = "fwd",
                  std::string_view solution = "blocked", std::string_view objective = "time") {
  CallFacts axes;
  axes["M"] = m;
  axes["N"] = 4;
  const OverlayRow* const row =
      find_row(overlay, {"scale", solution, direction, "", objective, axes});
  return row == nullptr ? ""
                        : configuration_text(row->configuration) + " " + place_of(overlay, *row);
}

TEST(Overlay, TheLastRowThatFitsCounts) {
  const auto [overlay, messages] =
      read_rows(row("", 1) + ",\n" + row(R"("axes": {"M": 64}, )", 2) + ",\n" +
                row(R"("where": ["M > 64", "N == 4"], )", 3) + ",\n" +
                row(R"("direction": "bwd", "where": ["M > 100"], )", 7));
  ASSERT_TRUE(overlay) << messages;
  EXPECT_EQ(found(*overlay, 1), "BLOCK=1 o.json:2");
  EXPECT_EQ(found(*overlay, 64), "BLOCK=2 o.json:3");
  EXPECT_EQ(found(*overlay, 128), "BLOCK=3 o.json:4");
  EXPECT_EQ(found(*overlay, 128, "bwd"), "BLOCK=7 o.json:5");
  EXPECT_EQ(found(*overlay, 64, "fwd", "another"), "");
}

TEST(Overlay, WhatIsForColdCallsIsForNoOthers) {
  const auto [overlay, messages] =
      read_rows(row("", 1) + ",\n" + row(R"("objective": "cold", )", 2));
  ASSERT_TRUE(overlay) << messages;
  EXPECT_EQ(found(*overlay, 1), "BLOCK=1 o.json:2");
  EXPECT_EQ(found(*overlay, 1, "fwd", "blocked", "cold"), "BLOCK=2 o.json:3");
  EXPECT_EQ(read_rows(row(R"("objective": "warm", )", 1)).messages,
            "2:61: there is no objective \"warm\" (they are \"time\", \"cold\")\n");
}

// The one that was tuned with this source is taken for the call, though the other is newer.
TEST(Overlay, WhatWasTunedWithAnotherSourceIsNotTaken) {
  const TunedExample example;
  const auto tuned = [](const std::string& digest) {
    return R"("provenance": {"parts": {"solution_digest": ")" + digest + R"("}}, )";
  };
  const auto [overlay, messages] =
      read_rows(row(tuned("here"), 1) + ",\n" + row(tuned("before"), 2));
  ASSERT_TRUE(overlay) << messages;
  const auto block_for = [&overlay = overlay](std::string_view digest) {
    const OverlayRow* const row =
        find_row(*overlay, {"scale", "blocked", "fwd", "", "time", {}, digest});
    return row == nullptr ? "" : configuration_text(row->configuration);
  };
  EXPECT_EQ(block_for("here"), "BLOCK=1");
  EXPECT_EQ(block_for("before"), "BLOCK=2");
  EXPECT_EQ(block_for("later"), "");
  const OverlayTarget targets[] = {{"scale", "blocked", &example.tunables, nullptr, "here"}};
  Diagnostics out;
  check_overlay(*overlay, targets, out);
  EXPECT_EQ(out.errors(), 0U);
  EXPECT_EQ(text_of(out),
            "3:1: was tuned with other sources, flags, parameters or entry of blocked, and is not "
            "taken (tune again; without its provenance a row counts whatever the source)\n");
}

TEST(Overlay, AnAxisThatACallDoesNotHaveFitsNone) {
  const auto [overlay, messages] = read_rows(row(R"("axes": {"K": 1}, )", 1));
  ASSERT_TRUE(overlay) << messages;
  EXPECT_EQ(found(*overlay, 1), "");
}

TEST(Overlay, MistakesAreReportedAllAndEachAtItsPlace) {
  EXPECT_EQ(
      read_rows(R"({"defintion": "a", "solution": "b", "configuration": {"X": []}})").messages,
      "2:2: missing key \"definition\" (rename \"defintion\" to \"definition\")\n"
      "2:60: expected a number, true, false or a word, found array "
      "(Values of the solution's parameters)\n");
  EXPECT_EQ(read_rows(row(R"("where": ["M >"], "direction": "forward", )", 1)).messages,
            "2:62: invalid syntax (a comparison, as in n % 16 == 0)\n"
            "2:79: there is no direction \"forward\" (they are \"fwd\", \"bwd\", \"fwd+bwd\")\n");
  EXPECT_EQ(read_rows(row(R"("axes": {"M": "4"}, )", 1)).messages,
            "2:62: must be a length, not '4' (as in {\"M\": 4})\n");
}

TEST(Overlay, OfAnotherFormItIsNone) {
  Diagnostics out;
  EXPECT_FALSE(
      read_overlay({"o.json", R"({"schema": "kbench.overlay/2", "configurations": []})"}, out));
  EXPECT_FALSE(read_overlay({"o.json", "[]"}, out));
  EXPECT_FALSE(read_overlay({"o.json", ""}, out));
  EXPECT_GE(out.errors(), 3U);
  EXPECT_TRUE(
      read_overlay({"o.json", R"({"schema": "kbench.overlay/1", "configurations": []})"}, out));
}

TEST(Overlay, IsHeldAgainstWhatIsThere) {
  const TunedExample example;
  const OverlayTarget targets[] = {{"scale", "blocked", &example.tunables}};
  const auto [overlay, messages] =
      read_rows(R"({"definition": "scales", "solution": "x", "configuration": {}},)"
                "\n"
                R"({"definition": "scale", "solution": "bloked", "configuration": {}},)"
                "\n" +
                row("", 4) + ",\n" + row("", 2));
  ASSERT_TRUE(overlay) << messages;
  Diagnostics out;
  check_overlay(*overlay, targets, out);
  EXPECT_EQ(text_of(out),
            "2:16: no definition \"scales\" here (did you mean \"scale\"?)\n"
            "3:37: no solution \"bloked\" of scale here (did you mean \"blocked\"?)\n"
            "4:65: BLOCK is 4: it can be 1, 2, 3, 7, 8, 9, 50\n");
  const OverlayTarget with_axes[] = {{"scale", "blocked", &example.tunables, &example.definition}};
  const auto slips = read_rows(row(R"("axes": {"MM": 4}, )", 1) + ",\n" +
                               row(R"("where": ["length > 100", "M > 1 or length > 2"], )", 1));
  ASSERT_TRUE(slips.value) << slips.messages;
  Diagnostics warned;
  check_overlay(*slips.value, with_axes, warned);
  EXPECT_EQ(warned.errors(), 0U);
  EXPECT_EQ(text_of(warned),
            "2:57: fits no call: scale has no axis \"MM\" (did you mean \"M\"?)\n"
            "3:58: fits no call: scale has no axis \"length\" (it has the axes M, N)\n");
  const OverlayTarget name_alone[] = {{"scale", "blocked"}};  // it is not run
  Diagnostics fewer;
  check_overlay(*overlay, name_alone, fewer);
  EXPECT_EQ(fewer.errors(), 0U);
}

Overlay read_back(const std::string& text) {
  Diagnostics out;
  auto overlay = read_overlay({"e.json", text}, out);
  EXPECT_TRUE(overlay) << (out.empty() ? "" : out.items()[0].message);
  return overlay ? *overlay : Overlay{};
}

std::string block_at(const Overlay& overlay, std::int64_t m, std::string_view context = "",
                     std::string_view objective = "time") {
  CallFacts axes;
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
