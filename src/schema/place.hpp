// Places in files: a JSON pointer is followed only when there is something to report, so that
// records need not carry their positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/json.hpp"

namespace kbench {

// Record of a file: the whole file, or a line of a .jsonl file. The file is read when the first
// place is asked for, once for all records that share it.
class Place {
 public:
  Place() : Place(std::filesystem::path()) {}  // no place
  // Takes `line` 0 for the whole file.
  explicit Place(std::filesystem::path file, int line = 0);
  // Takes a record of a text at hand, which must outlive the place.
  explicit Place(const Source& source, int line = 0);
  // Returns another record of the same file.
  Place at_line(int line) const;

  // Returns the place of the value at `pointer` (RFC 6901), or the nearest enclosing one's.
  // `index`: byte of the decoded string, when it is one. Unreadable files: path and line.
  Where value(std::string_view pointer = "", std::size_t index = 0) const;
  // Returns the place of that value's key.
  Where key(std::string_view pointer) const;

 private:
  struct File;
  const Source* source() const;
  Where unknown(std::string_view pointer) const;

  std::shared_ptr<File> file_;
  int line_;
};

// Target of a JSON pointer, and the byte where its key begins (for an array's element: the byte
// where it begins itself).
struct PointedAt {
  const json::Value* value = nullptr;
  std::uint32_t key_begin = 0;
};

// Finds the value at `pointer`, or the nearest enclosing one that is there.
PointedAt follow(const json::Value& document, std::string_view pointer);

// Returns a key or index as a step of a JSON pointer: '~' and '/' escaped.
std::string pointer_step(std::string_view key);

// Places in a kernel yaml, for its readers.
struct YamlPlace {
  const Source& source;
  Diagnostics& out;

  Where at(const json::Value& value, std::string pointer = "") const {
    return locate(source, value.begin, std::move(pointer));
  }
  Where key(const json::Member& member, std::string pointer = "") const {
    return locate(source, member.key_begin, std::move(pointer));
  }
  // Reports a value other than the wanted one: "must be an integer, not 1.5".
  void wrong(const json::Value& value, const std::string& pointer, std::string_view wanted,
             std::string hint = "") const;
  // Returns the place of byte `index` of a string in the file as it is.
  Where inside(const json::Value& string, std::size_t index, std::string pointer = "") const;
};

// Returns "file:line", to name the other of two places; for a whole file its name.
std::string short_place(const Where& where);

// Returns a value as a message shows it: 3, 'add.out', {…}.
std::string python_text(const json::Value& value);

}  // namespace kbench
