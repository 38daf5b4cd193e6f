// State of reading a record: the source, the options, where the problems go, and the way to the
// value in hand.
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

// Path from the document to a value: a list on the stack, turned to text for messages alone.
struct JsonPath {
  const JsonPath* parent = nullptr;
  std::string_view key;
  int index = -1;
};

// Returns RFC 6901's form; "" for the document itself, whose path is nullptr.
std::string pointer(const JsonPath* path);

struct ReadContext {
  const Source& source;
  const ReadOptions& options;
  Diagnostics& out;
  std::string_view doc{};  // doc of the field in hand: the hint where there is no better one
  std::size_t said = 0;
  std::size_t left_out = 0;
  std::set<std::size_t> renamed{};  // begins of keys of which report_missing() said the right name

  // Problems are reported at a byte of the source; those beyond the 100th are only counted.
  bool full() const { return said >= 100; }
  void error(std::size_t offset, std::string pointer, std::string message, std::string hint = "");
  void warning(std::size_t offset, std::string pointer, std::string message, std::string hint = "");
  // Reports how many were left out.
  void finish();

  // Both report an error at `value`, unless the value is broken anyway, and return false.
  bool fail(const json::Value& value, const JsonPath* path, std::string message,
            std::string hint = "");
  bool expected(const json::Value& value, const JsonPath* path, std::string_view what);
  // Checks that no terminal obeys a name, and that it is as short as its rule says.
  bool check_name(const json::Value& value, std::string_view name, const JsonPath* path, Rule rule);
  // Checks that it is an object, and not one with a great many keys.
  bool check_object(const json::Value& value, const JsonPath* path);
  // Remarks under --strict that the key `name` at `path` is null, which stands for absence.
  // FlashInfer-Bench's documentation says that null is the default, and its reader refuses it.
  void note_null(const json::Value& value, const JsonPath* path, std::string_view name);
};

// Returns a value as messages show it: itself where it is short, else its kind.
std::string found(const json::Value& value);

// Source of a solution whose text lies in a file beside it.

// Reads a source's text from a file beside the solution. True when a "content" that is missing is
// no mistake, or has been said to be one.
bool fill_source(ReadContext& context, const json::Value& value, const JsonPath* parent,
                 SourceFile& source);

// Keys that an object should have and lacks, and keys that no field of its record has: most are
// misspelt, so both are told with the key that was meant.

// Reports that `value` lacks the key `name`. `known`: the names of the record's fields.
void report_missing(ReadContext& context, const json::Value& value, const JsonPath* path,
                    std::string_view name, std::span<const std::string> known);

// Reports keys of `value` that are not `known`: errors when reading strictly, else warnings about
// those that look misspelt, or about `all`.
void report_unknown(ReadContext& context, const json::Value& value, const JsonPath* path,
                    std::span<const std::string> known, bool all = false);

}  // namespace kbench
