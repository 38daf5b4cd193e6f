// Where the stored tensors of workloads lie.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kbench {

struct StoredPlace {
  std::filesystem::path file;
  std::string problem, hint;  // "": it may be read
};

// The file that a workload of the trace set at `root` names. What is outside of the trace set, by
// "..", by a link or as an absolute path, is a problem: who judges others' workloads would read
// files for them.
StoredPlace stored_place(const std::filesystem::path& root, std::string_view path);

}  // namespace kbench
