// Files, folders and trace sets → report.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/json.hpp"
#include "validate/report.hpp"

namespace kbench {

struct ValidateOptions {
  std::string kind;     // one of kinds.hpp; "": guessed
  bool strict = false;  // conventions and unknown keys are errors
  int threads = 0;      // threads at most; 0: one for each core
};

// Validates every file of a trace set, and the files of each definition together.
void validate_trace_set(const std::filesystem::path& root, const ValidateOptions& options,
                        ValidationReport& report);

// Validates one file: a record, or a .jsonl file of records. A missing file is a message, too.
void validate_file(const std::filesystem::path& path, const ValidateOptions& options,
                   ValidationReport& report);

// Validates a record, or lines of records, that came from elsewhere.
void validate_text(const Source& source, const ValidateOptions& options, ValidationReport& report);

// Validates all .json, .jsonl and kernel yaml files below a folder that is no trace set.
void validate_folder(const std::filesystem::path& folder, const ValidateOptions& options,
                     ValidationReport& report);

// Guesses the kind of a record: from its keys, else from the folders of its path, else from the
// extension; "" when nothing tells.
std::string_view guess_kind(const json::Value& value, const std::filesystem::path& path);

}  // namespace kbench
