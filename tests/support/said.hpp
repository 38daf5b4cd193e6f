// Diagnostics as tests compare them.
#pragma once

#include <string>

#include "base/diagnostic.hpp"

namespace kbench {

enum class Tell { message, hint, level };  // how much, each with what stands before it

// "line:column: warning: message (hint)", a line each.
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

}  // namespace kbench
