#include <gtest/gtest.h>

#include "base/text.hpp"

namespace kbench {
namespace {

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("caf\xc3\xa9 1 % 2"), "caf\xc3\xa9 1 % 2");
  EXPECT_EQ(printable("\x1b[31mred\x07\n"), "\\x1b[31mred\\x07\\x0a");
}

}  // namespace
}  // namespace kbench
