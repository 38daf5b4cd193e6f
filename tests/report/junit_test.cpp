#include "report/junit.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(XmlText, EscapesMarkupAndControlCharacters) {
  EXPECT_EQ(xml_text("a < b && \"c\"\n\x1b[1m"), "a &lt; b &amp;&amp; &quot;c&quot;\n\\x1b[1m");
}

TEST(XmlText, HoldsNoWorkflowCommand) {
  EXPECT_EQ(xml_text("a\n::error::<x>"), "a\n\\x3a:error::&lt;x&gt;");
}

}  // namespace
}  // namespace kbench
