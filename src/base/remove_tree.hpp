// Removes what others have left, whatever they have done to it.
#pragma once

#include <filesystem>
#include <system_error>

namespace kbench {

// Removes `path` and all below it, folders too that their owner has closed (mode 0300), and however
// deep they nest. No link is followed. Nobody may change it meanwhile. An error says why something
// is left.
std::error_code remove_tree(const std::filesystem::path& path);

}  // namespace kbench
