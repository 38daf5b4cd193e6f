// Foreign files → a trace set: docs/import.md.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>

#include "cli/import/imported.hpp"
#include "cli/import/settle.hpp"
#include "validate/report.hpp"

namespace kbench {

struct ImportReport {
  ValidationReport notes;                // notes on each file that was read; no definitions
  std::array<std::size_t, 4> written{};  // records by Part; dry_run counts those that would be
  std::array<std::size_t, 4> there{};    // records in files that are there already, just so
  std::size_t left_out = 0;
  bool usable = true;  // false: there was nothing to read
};

// Reads a file, or all files of the format below a folder, and writes the records that can be
// carried over below `root`. `run_init` runs the Python of dumps that makes inputs. Throws where it
// cannot write.
ImportReport import_files(const std::filesystem::path& from, const ImportFormat& format,
                          const std::filesystem::path& root, bool dry_run, bool run_init = false);

// "3 definitions, 12 workloads, 0 solutions, 0 traces written; 1 left out"
std::string import_summary(const ImportReport& report, bool dry_run);
std::string import_json(const ImportReport& report, bool dry_run);

}  // namespace kbench
