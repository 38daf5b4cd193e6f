// What validate finds: a value, written as text or JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace kbench {

struct FileReport {
  std::string path;  // as the user can open it
  std::string kind;  // "" when it is not known
  Diagnostics messages;
};

struct ValidationReport {
  std::vector<FileReport> files;
};

// Puts messages in the order of the lines they are about.
void sort_by_line(Diagnostics& messages);

// The worst level among messages; info when there are none.
Level worst(const Diagnostics& messages);
Level worst(const ValidationReport& report);

// "ok", "warning" or "error".
std::string_view status_word(Level worst);

// {"status", "files": [...]}: docs/validate.md.
std::string report_json(const ValidationReport& report);

// Every message as a compiler prints it; those of level info only if `verbose`.
std::string report_text(const ValidationReport& report, bool colour, bool verbose);

// "3 files, 2 errors, 1 warning"
std::string report_summary(const ValidationReport& report);

}  // namespace kbench
