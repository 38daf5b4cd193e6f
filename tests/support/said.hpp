// Diagnostics as tests compare them.
#pragma once

#include <string>

#include "base/diagnostic.hpp"

namespace kbench {

enum class Tell { message, hint, level };  // each tells those before it, too

// Returns "line:column: warning: message (hint)", one a line.
inline std::string text_of(const Diagnostics& said, Tell tell = Tell::hint) {
  std::string text;
  for (const Diagnostic& one : said.items()) {
    text += std::to_string(one.where.line) + ":" + std::to_string(one.where.column) + ": ";
    if (tell == Tell::level && one.level == Level::warning) text += "warning: ";
    text += one.message;
    text += tell == Tell::message || one.hint.empty() ? "\n" : " (" + one.hint + ")\n";
  }
  return text;
}

// The value of a text, and text_of() all that was said of it.
template <class Value>
struct ReadText {
  Value value;
  std::string messages;
};

}  // namespace kbench
