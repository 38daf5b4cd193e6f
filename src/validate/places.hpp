// Where messages about the files of a report stand.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "schema/place.hpp"
#include "validate/report.hpp"

namespace kbench {

// Reads a file when the first message about something in it is shown.
class ReportPlaces {
 public:
  explicit ReportPlaces(const std::vector<FileReport>& files) : files_(files) {}

  // A value of line `line` of the file, or of the whole file where `line` is 0.
  Where at(std::size_t file, int line, std::string_view pointer, std::size_t index = 0) {
    const std::string& path = files_[file].path;
    if (line == 0 && pointer.empty()) return {path, 0, 0, "", ""};
    return places_.try_emplace(file, path).first->second.at_line(line).value(pointer, index);
  }

 private:
  const std::vector<FileReport>& files_;
  std::map<std::size_t, Place> places_;
};

}  // namespace kbench
