// What a file is, whatever machine it lies on.
#pragma once

#include <filesystem>
#include <string>

namespace kbench {

// A digest of its content, "absent" without one. Read once a process, unless the file changes.
std::string content_identity(const std::filesystem::path& path);

}  // namespace kbench
