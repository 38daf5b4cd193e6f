// Foreign texts for tests of one format each.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "import/format.hpp"
#include "import/json_records.hpp"

namespace kbench {

inline Imported read_texts(std::string_view format,
                           const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<ForeignFile> foreign;
  for (const auto& [path, text] : files)
    foreign.push_back({std::make_shared<const Source>(Source{path, text}), true});
  return find_import_format(format)->read(std::move(foreign), {});
}

// "level: message" of every note, file by file.
inline std::vector<std::string> notes_of(const Imported& imported) {
  std::vector<std::string> out;
  for (const ForeignFile& file : imported.files) {
    for (const Diagnostic& note : file.notes.items())
      out.push_back(std::string(level_name(note.level)) + ": " + note.message);
  }
  return out;
}

inline bool has_note(const Imported& imported, std::string_view text) {
  for (const std::string& note : notes_of(imported)) {
    if (note.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace kbench
