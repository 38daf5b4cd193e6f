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

// The first folder on the way from `root` to `file`, a path below it, that is a link: what is
// written there would go elsewhere. "" where there is none, or where files outside are allowed.
std::filesystem::path link_on_the_way(const std::filesystem::path& root,
                                      const std::filesystem::path& file);

// The user's word that files outside may be read and written, for the whole process
// (--allow-outside).
void allow_files_outside();

}  // namespace kbench
