// What reading a record carries along: the source, the options, where the problems go, and the way
// to the value in hand.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/json.hpp"
#include "schema/read.hpp"

namespace kbench {

// The way from the document to a value: a list on the stack, turned to text when there is something
// to say.
struct JsonPath {
  const JsonPath* parent = nullptr;
  std::string_view key;
  int index = -1;
};

// RFC 6901; "" for the document itself, whose path is nullptr.
std::string pointer(const JsonPath* path);

struct ReadContext {
  const Source& source;
  const ReadOptions& options;
  Diagnostics& out;
  std::string_view doc{};  // of the field in hand: the hint where there is no better one

  // Both report an error at `value`, unless the value is broken anyway, and return false.
  bool fail(const json::Value& value, const JsonPath* path, std::string message,
            std::string hint = "");
  bool expected(const json::Value& value, const JsonPath* path, std::string_view what);
};

// A value as messages show it: itself where it is short, else its kind.
std::string found(const json::Value& value);

}  // namespace kbench
