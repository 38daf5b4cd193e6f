#include "base/diagnostic.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kbench {
namespace {

// The rendered excerpt and caret of byte `offset` of a one-line text.
std::string shown(const std::string& text, std::size_t offset) {
  const std::string all = render({Level::error, locate({"f", text}, offset), "m", ""}, false);
  return all.substr(all.find('\n') + 1);
}

TEST(Render, ShowsTheLineAndACaret) {
  EXPECT_EQ(render({Level::error, locate({"f", "a\nbcd\n"}, 3), "wrong", "right"}, false),
            "f:2:2: error: wrong\n 2 | bcd\n   |  ^\n  hint: right\n");
  EXPECT_EQ(render({Level::warning, {"f"}, "wrong", ""}, false), "f: warning: wrong\n");
}

TEST(Render, TheCaretCountsCharactersNotBytes) {
  EXPECT_EQ(shown("\"é€\": x", 9), " 1 | \"é€\": x\n   |       ^\n");
  EXPECT_EQ(shown("\tx", 1), " 1 |  x\n   |  ^\n");
}

TEST(Render, WhatATerminalObeysIsNotSentToIt) {
  EXPECT_EQ(shown("\x1b[2J\xff\x07x", 6), " 1 | ?[2J??x\n   |       ^\n");
  EXPECT_EQ(render({Level::error, {}, "name \"\x1b[2J\"", "\r"}, false),
            "error: name \"\\x1b[2J\"\n  hint: \\x0d\n");
  EXPECT_EQ(render({Level::error, {"a\x1b[2J", 1, 1, "", ""}, "m", ""}, false),
            "a\\x1b[2J:1:1: error: m\n");
}

TEST(Render, OfALongLineThePartAroundThePlace) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "é";
  text += "X";
  for (int i = 0; i < 100; ++i) text += "é";
  const std::string out = shown(text, 200);
  const std::size_t line_end = out.find('\n');
  EXPECT_LT(line_end, 140U);
  EXPECT_EQ(out.find('?'), std::string::npos);  // no character is cut in two
  // The caret stands under the X: as many characters before both.
  const auto characters = [](std::string_view part) {
    return std::count_if(part.begin(), part.end(), [](char c) { return (c & 0xC0) != 0x80; });
  };
  EXPECT_EQ(characters(out.substr(0, out.find('X'))),
            characters(out.substr(line_end + 1, out.find('^') - line_end - 1)));
}

TEST(Locate, FollowsATextThatChanged) {
  Source source{"f", "a\nb\nc"};
  EXPECT_EQ(locate(source, 4).line, 3);
  source.text = "a b c d e f\ng";
  EXPECT_EQ(locate(source, 12).line, 2);
  EXPECT_EQ(locate(Source(source), 11).line, 1);
  EXPECT_EQ(locate(Source{"f", ""}, 3).line, 1);
}

TEST(Diagnostics, OverrulesWhatIsLessGraveOfTheSamePlace) {
  Diagnostics out;
  const auto at = [](int line, int column) { return Where{"f", line, column, "", ""}; };
  out.warning(at(1, 2), "twice");
  out.warning(at(1, 3), "of another column");
  out.warning(at(0, 0), "of the file");
  out.overrule({Level::error, at(1, 2), "twice, which is wrong", ""});
  out.overrule({Level::error, at(0, 0), "of the file, too", ""});
  out.overrule({Level::warning, at(1, 2), "no more than a warning", ""});
  std::string said;
  for (const Diagnostic& one : out.items()) said += one.message + "\n";
  EXPECT_EQ(said,
            "of another column\nof the file\ntwice, which is wrong\nof the file, too\n"
            "no more than a warning\n");
  EXPECT_EQ(out.errors(), 2U);
}

}  // namespace
}  // namespace kbench
