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
  std::size_t file = 0;   // the file to blame, an index into the scan
  int line = 0;           // of a .jsonl file, 0: the whole file
  std::string pointer{};  // of the value to blame, "" for the record itself
  std::string hint{};
};

// The checks of one definition: their subject and their findings.
struct CheckInput {
  const std::filesystem::path& root;
  const std::vector<ScannedFile>& files;
  const DefinitionEntry& entry;
  std::vector<CheckMessage>& out;

  const ScannedFile& file(const Entry& of) const { return files[of.file]; }
  const Definition* definition() const;
  // The lines of a file; nullptr where one of them could not be read: then none counts.
  const std::vector<TraceLine>* lines(const Entry& of) const;

  void error(const Entry& of, std::string message, std::string pointer = "", int line = 0) const {
    out.push_back({Level::error, std::move(message), of.file, line, std::move(pointer)});
  }
  void warning(const Entry& of, std::string message) const {
    out.push_back({Level::warning, std::move(message), of.file});
  }
};

// Names, authors and op types that differ from the path, and lines that end in the middle.
void check_layout(const CheckInput& input);
// Descriptions that are missing.
void check_descriptions(const CheckInput& input);
void check_traces(const CheckInput& input);
// Solutions and traces of the author "baseline".
void check_baseline(const CheckInput& input);

}  // namespace kbench
