// What reading a record carries along: the source, the options, where the problems go, and the way
// to the value in hand.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/json.hpp"
#include "schema/field.hpp"
#include "schema/read.hpp"
#include "schema/solution.hpp"

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
  std::size_t said = 0;
  std::size_t left_out = 0;
  std::set<std::size_t>
      renamed{};  // where keys begin of which report_missing() said the right name

  // Report a problem at a byte of the source. Beyond the 100th, errors are only counted: nobody
  // reads more.
  bool full() const { return said >= 100; }
  void error(std::size_t offset, std::string pointer, std::string message, std::string hint = "");
  void warning(std::size_t offset, std::string pointer, std::string message, std::string hint = "");
  // Says how many were left out.
  void finish();

  // Both report an error at `value`, unless the value is broken anyway, and return false.
  bool fail(const json::Value& value, const JsonPath* path, std::string message,
            std::string hint = "");
  bool expected(const json::Value& value, const JsonPath* path, std::string_view what);
  // Checks that no terminal obeys a name; and that an object has not many keys, by their rule such
  // names.
  bool check_name(const json::Value& value, std::string_view name, const JsonPath* path);
  bool check_names(const json::Value& object, const JsonPath* path, Rule rule);
  // A remark under --strict: the key `name` at `path` is null, which stands for what is absent.
  // FlashInfer-Bench's documentation says that null is the default, and its reader refuses it.
  void note_null(const json::Value& value, const JsonPath* path, std::string_view name);
};

// A value as messages show it: itself where it is short, else its kind.
std::string found(const json::Value& value);

// A source of a solution whose text lies in a file beside it.

// kbench lets a source's text lie in a file beside the solution. True when a "content" that is
// missing is no mistake, or has been said to be one.
bool fill_source(ReadContext& context, const json::Value& value, const JsonPath* parent,
                 SourceFile& source);

// Keys that an object should have and lacks, and keys that no field of its record has: most are
// misspelt, so both are told with the key that was meant.

// An error: `value` lacks the key `name`. `known`: the names of the record's fields.
void report_missing(ReadContext& context, const json::Value& value, const JsonPath* path,
                    std::string_view name, std::span<const std::string> known);

// Keys of `value` that are not `known`: errors when reading strictly, else warnings about those
// that look misspelt, or about `all`.
void report_unknown(ReadContext& context, const json::Value& value, const JsonPath* path,
                    std::span<const std::string> known, bool all = false);

}  // namespace kbench
