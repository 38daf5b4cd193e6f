// Checks of a definition and the files that belong to it in a trace set: all that
// FlashInfer-Bench's validator refuses or warns of, each fault once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "schema/scan.hpp"
#include "validate/index.hpp"

namespace kbench {

struct CheckMessage {
  Level level = Level::info;
  std::string message;
  std::size_t file = 0;   // file to blame, an index into the scan
  int line = 0;           // line of a .jsonl file, 0: the whole file
  std::string pointer{};  // pointer to the value to blame, "" for the record itself
  std::string hint{};
};

// Subject and findings of the checks of one definition.
struct CheckInput {
  const std::filesystem::path& root;
  const std::vector<ScannedFile>& files;
  const DefinitionEntry& entry;
  std::vector<CheckMessage>& out;

  const ScannedFile& file(const Entry& of) const { return files[of.file]; }
  const Definition* definition() const;
  // Returns the lines of a file; nullptr where one of them could not be read: then none counts.
  const std::vector<TraceLine>* lines(const Entry& of) const;

  void error(const Entry& of, std::string message, std::string pointer = "", int line = 0) const {
    out.push_back({Level::error, std::move(message), of.file, line, std::move(pointer)});
  }
  void warning(const Entry& of, std::string message) const {
    out.push_back({Level::warning, std::move(message), of.file});
  }
};

// Checks names, authors and op types against the path, and lines that end in the middle.
void check_layout(const CheckInput& input);
// Warns of descriptions that are missing.
void check_descriptions(const CheckInput& input);
void check_traces(const CheckInput& input);
// Checks solutions and traces of the author "baseline".
void check_baseline(const CheckInput& input);

}  // namespace kbench
