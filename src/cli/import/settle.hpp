// Checks of records against each other, the trace set that they are written to, and the files of
// tensors that they name: records that fail are left out, so that the outcome is valid.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/import/imported.hpp"

namespace kbench {

enum class Part { definitions, workloads, solutions, traces };

// A file to write. All of its records are written, or none.
struct PlannedFile {
  Part part = Part::definitions;
  std::filesystem::path path;  // relative to the root
  std::string content;
  std::size_t records = 0;
  std::size_t file = 0;  // index of its first record's file in Imported::files
};

// A file of tensors to copy.
struct PlannedBlob {
  std::filesystem::path from;
  std::filesystem::path path;  // relative to the root
};

struct ImportPlan {
  std::vector<PlannedFile> files;
  std::vector<PlannedBlob> blobs;
};

// Reads below `root` and the files that workloads name; writes nothing. A record that is left out
// is an error in imported.files and counted in imported.left_out.
ImportPlan settle(Imported& imported, const KnownRecords& known, const std::filesystem::path& root);

}  // namespace kbench
