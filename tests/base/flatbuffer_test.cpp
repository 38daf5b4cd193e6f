// Buffers made by hand, byte for byte, and mistakes in others.
#include "base/flatbuffer.hpp"

#include <gtest/gtest.h>

namespace kbench::flat {
namespace {

std::string bytes(std::initializer_list<int> all) { return {all.begin(), all.end()}; }

// Describes a buffer whose root has a text as field 0, numbers as field 1 and a byte as field 2.
std::string outcome(const std::string& text) {
  Buffer buffer(text);
  try {
    const Table table = root(buffer);
    std::string out = table.text(0) + "|";
    for (const std::int16_t one : table.numbers<std::int16_t>(1)) out += std::to_string(one) + " ";
    return out + "|" + std::to_string(table.number<std::int8_t>(2, 7));
  } catch (const Broken& broken) {
    return std::to_string(broken.at) + ": " + broken.message;
  }
}

// The root's offset; at 4 its fields (10 bytes of them, a table of 13); at 16 the table: the way
// back, the offsets of the text and of the numbers, a byte.
std::string good() {
  return bytes({16, 0, 0, 0, 10,  0,   13,  0, 4,  0, 8, 0, 12, 0, 0,    0,  //
                12, 0, 0, 0, 12,  0,   0,   0, 16, 0, 0, 0, 5,  0, 0,    0,  //
                3,  0, 0, 0, 'a', 'b', 'c', 0, 2,  0, 0, 0, 1,  0, 0xff, 0xff});
}

std::string changed(std::size_t at, int value) {
  std::string out = good();
  out[at] = static_cast<char>(value);
  return out;
}

TEST(FlatBuffer, FieldsAndWhatIsNotThere) {
  EXPECT_EQ(outcome(good()), "abc|1 -1 |5");
  EXPECT_EQ(outcome(changed(12, 0)), "abc|1 -1 |7");
  EXPECT_EQ(outcome(changed(8, 0)), "|1 -1 |5");
  EXPECT_EQ(outcome(changed(4, 8)), "abc|1 -1 |7");  // written by an older program
}

TEST(FlatBuffer, WhatIsWrongStandsAtItsByte) {
  EXPECT_EQ(outcome(""), "0: 4 bytes are beyond the end");
  EXPECT_EQ(outcome(changed(0, 0)), "0: an offset leads out of the file");
  EXPECT_EQ(outcome(changed(0, 90)), "0: an offset leads out of the file");
  EXPECT_EQ(outcome(changed(16, 60)), "16: the offsets of a table lie before the file");
  EXPECT_EQ(outcome(changed(4, 3)), "4: a table of offsets is cut");
  EXPECT_EQ(outcome(changed(4, 60)), "4: 60 bytes are beyond the end");
  EXPECT_EQ(outcome(changed(6, 60)), "16: 60 bytes are beyond the end");
  EXPECT_EQ(outcome(changed(8, 13)), "8: a field lies outside of its table");
  EXPECT_EQ(outcome(changed(20, 200)), "20: an offset leads out of the file");
  EXPECT_EQ(outcome(changed(32, 30)), "36: 30 bytes are beyond the end");
  EXPECT_EQ(outcome(changed(33, 1)), "32: there is more of it than the file has room for");
}

// Every table of a list is one and the same: what is visited would grow without end.
TEST(FlatBuffer, NoMoreIsVisitedThanThereIs) {
  std::string text =
      bytes({12, 0, 0, 0, 6, 0, 8, 0, 4, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0});
  for (int i = 0; i < 9; ++i) text += bytes({0, 0, 0, 0});
  for (std::size_t i = 0; i < 9; ++i)  // offsets from 24 + 4 i to the one table behind them
    text[24 + 4 * i] = static_cast<char>(4 * (9 - i));
  text += good().substr(4);  // a table stands there
  Buffer buffer(text);
  const Table table = root(buffer);
  int rounds = 0;
  const auto visit = [&] {
    for (; rounds < 1000; ++rounds) table.tables(0);
  };
  EXPECT_THROW(visit(), Broken);
  EXPECT_LT(rounds, 12);
}

}  // namespace
}  // namespace kbench::flat
