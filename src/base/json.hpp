// A JSON reader that knows where everything stands. It goes on after a mistake, so that all
// problems of a file are found in one go; it takes NaN, Infinity and -Infinity, which Python's json
// writes; numbers keep their text. RFC 8259; why not nlohmann/json here: docs/dependencies.md.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace kbench::json {

// `broken`: something stands there whose mistake has been reported; nothing more is to be said.
enum class Kind : std::uint8_t { null, boolean, integer, number, string, array, object, broken };

struct Member;

// A value of a document. Strings are decoded; numbers stand as they were written.
struct Value {
  Kind kind = Kind::null;
  bool truth = false;       // value of a boolean
  bool lost = false;        // set in a document: a mistake has left no way to go on
  std::uint32_t begin = 0;  // bytes [begin, end) of the document's text
  std::uint32_t end = 0;
  std::string_view text;  // a string (decoded UTF-8) or a number as written
  std::span<const Value> items;
  std::span<const Member> members;  // kept in order; the last one of a key given twice counts

  bool is_object() const { return kind == Kind::object; }
  bool is_string() const { return kind == Kind::string; }
  const Value* find(std::string_view key) const;  // the last of that name, nullptr if there is none
};

struct Member {
  std::string_view key;
  std::uint32_t key_begin = 0;
  Value value;
};

// Owns what the values of a parse point to, except undecoded strings, which lie in the text.
using Memory = std::pmr::monotonic_buffer_resource;

// Reports keys that are given twice. The message of a warning ends so.
constexpr std::string_view last_one_counts = "; the last one counts";
void report_duplicates(const Source& source, std::span<const Member> members, Level level,
                       Diagnostics& diagnostics);

// Reports a text that is UTF-16, or stands for a file that Git LFS has not fetched; returns false.
bool check_is_text(const Source& source, Diagnostics& diagnostics);

// Parses bytes [begin, end) of `source` as one JSON text. Mistakes are reported, of each line the
// first, up to one after which the structure is lost; the value is what could be understood.
Value parse(const Source& source, std::size_t begin, std::size_t end, Memory& memory,
            Diagnostics& diagnostics);

// Offset in `source` of byte `index` of a decoded string, as to point into a reference's code.
std::size_t string_offset(const Source& source, const Value& string, std::size_t index);

// "string", "object", …: name of a kind in messages.
std::string_view kind_name(Kind kind);

}  // namespace kbench::json
