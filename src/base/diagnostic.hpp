// Problems of an input and their places: the one way in which kbench tells its user.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

enum class Level { info, warning, error };

// "info", "warning" or "error".
std::string_view level_name(Level level);

// A place in a file. Lines and columns count from 1, columns in bytes; 0 means unknown.
struct Where {
  std::string file;
  int line = 0;
  int column = 0;
  std::string pointer = {};  // RFC 6901 JSON pointer, "" for the whole document
  std::string excerpt = {};  // the source line, without its line break; part of a long one
  int excerpt_begin = 0;     // byte of the line where that part begins
};

struct Diagnostic {
  Level level = Level::error;
  Where where;
  std::string message;
  std::string hint;
  std::size_t subject = 0;      // bytes at the message's beginning that say which workload it is of
  std::string constraint = {};  // expression of the Definition's constraint that it is about
};

// A sink that collects all problems; nothing is thrown for a wrong input.
class Diagnostics {
 public:
  Diagnostic& add(Diagnostic diagnostic);  // returns what it keeps
  void error(Where where, std::string message, std::string hint = "");
  void warning(Where where, std::string message, std::string hint = "");
  void info(Where where, std::string message, std::string hint = "");
  // Replaces less grave diagnostics of the same line and column.
  void overrule(Diagnostic diagnostic);

  const std::vector<Diagnostic>& items() const { return items_; }
  std::size_t errors() const { return errors_; }
  bool empty() const { return items_.empty(); }
  void append(Diagnostics other);

 private:
  std::vector<Diagnostic> items_;
  std::size_t errors_ = 0;
};

// A file's text (or a text from elsewhere, with a name to show).
struct Source {
  std::string path;
  std::string text;
  // Beginnings of its lines, from the first locate() on. Thousands of messages may be in one file.
  struct Lines;
  mutable std::shared_ptr<const Lines> lines = {};
};

// Line, column and excerpt of a byte offset in `source`; a long line is cut around the place.
Where locate(const Source& source, std::size_t offset, std::string pointer = "");

// "file:line:column: error: message", the source line, a caret, "hint: …"; ends with a newline.
std::string render(const Diagnostic& diagnostic, bool colour);

}  // namespace kbench
