// A schema from its text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kernels/operators/parse.hpp"

namespace kbench::ops {

// Fails the test where the text is none.
inline Schema schema_of(const std::string& text) {
  const ParsedSchema parsed = parse_schema(text);
  EXPECT_TRUE(parsed.schema) << text;
  return parsed.schema.value_or(Schema{});
}

}  // namespace kbench::ops
