// Findings of validate: a value, written as text or JSON.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/place.hpp"
#include "schema/scan.hpp"

namespace kbench {

struct FileReport {
  std::string path;  // path as the user can open it
  std::string kind;  // "" when it is not known
  Diagnostics messages;
};

struct ValidationReport {
  std::vector<FileReport> files;
};

// Sorts messages by the lines they are about.
void sort_by_line(Diagnostics& messages);

// Returns the worst level among messages; info when there are none.
Level worst(const Diagnostics& messages);
Level worst(const ValidationReport& report);

// Returns "ok", "warning" or "error".
std::string_view status_word(Level worst);

// Returns {"status", "files": [...]}: docs/validate.md.
std::string report_json(const ValidationReport& report);

// Returns every message as a compiler prints it; those of level info only if `verbose`.
std::string report_text(const ValidationReport& report, bool colour, bool verbose);

// Returns "3 files, 2 errors, 1 warning".
std::string report_summary(const ValidationReport& report);

// Places of messages about the files of a report.

// Reads a file when the first message about something in it is shown.
class ReportPlaces {
 public:
  explicit ReportPlaces(const std::vector<FileReport>& files) : files_(files) {}

  // Returns the place of a value of line `line` of the file, or of the whole file where it is 0.
  Where at(std::size_t file, int line, std::string_view pointer, std::size_t index = 0) {
    const std::string& path = files_[file].path;
    if (line == 0 && pointer.empty()) return {path};
    return places_.try_emplace(file, path).first->second.at_line(line).value(pointer, index);
  }

 private:
  const std::vector<FileReport>& files_;
  std::map<std::size_t, Place> places_;
};

// Definitions of a scan, by their names.
using DefinitionsByName = std::unordered_map<std::string_view, const Definition*>;

// Returns the Definitions; the first of two with one name counts. `files` must live as long.
inline DefinitionsByName definitions_in(const std::vector<ScannedFile>& files) {
  DefinitionsByName definitions;
  for (const ScannedFile& file : files) {
    if (file.definition && !file.duplicate)
      definitions.emplace(file.definition->name, &*file.definition);
  }
  return definitions;
}

}  // namespace kbench
