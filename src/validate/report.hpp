// What validate finds: a value, written as text or JSON.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace kbench {

// A message of one of FlashInfer-Bench's checks. The words are theirs, so that reports can be
// compared; the place is ours.
struct CheckMessage {
  Level level = Level::info;
  std::string message;
  std::size_t file = 0;   // the file to blame, an index into ValidationReport::files
  int line = 0;           // of a .jsonl file, 0: the whole file
  std::string pointer{};  // of the value to blame, "" for the record itself
  std::string hint{};     // shown with the file, not part of the check
};

struct CheckResult {
  std::vector<CheckMessage> messages;
};

// FlashInfer-Bench's checks of a definition and of what belongs to it.
enum class Check { layout, definition, workload, solution, trace, baseline };
constexpr std::array<std::string_view, 6> check_names{"layout",   "definition", "workload",
                                                      "solution", "trace",      "baseline"};

struct DefinitionReport {
  std::string name;
  std::array<CheckResult, check_names.size()> checks;

  CheckResult& operator[](Check check) { return checks[static_cast<std::size_t>(check)]; }
};

struct FileReport {
  std::string path;  // as the user can open it
  std::string kind;  // "" when it is not known
  Diagnostics messages;
};

struct ValidationReport {
  std::vector<FileReport> files;
  std::vector<DefinitionReport> definitions;  // of trace sets, by name
};

// Puts messages in the order of the lines they are about.
void sort_by_line(Diagnostics& messages);

// The worst level among messages; info when there are none.
Level worst(const Diagnostics& messages);
Level worst(const CheckResult& check);
Level worst(const DefinitionReport& definition);
Level worst(const ValidationReport& report);

// "ok", "warning" or "error".
std::string_view status_word(Level worst);

// {"status", "files": [...], "definitions": {...}}: docs/validate.md.
std::string report_json(const ValidationReport& report);

// Every message as a compiler prints it; those of level info only if `verbose`.
std::string report_text(const ValidationReport& report, bool colour, bool verbose);

// "3 files, 2 errors, 1 warning"
std::string report_summary(const ValidationReport& report);

}  // namespace kbench
