// The files of an import, which the program alone opens: beneath the folder that is imported.
#pragma once

#include <filesystem>

#include "import/formats.hpp"
#include "import/imported.hpp"

namespace kbench {

// Reads a file with what lies beside it, or all files of the format below a folder, into `files`
// and `documents`. What cannot be read, or is no JSON, is said and counted as left out; returns how
// many files could not be opened.
std::size_t read_foreign_files(const std::filesystem::path& from, const ImportFormat& format,
                               Imported& imported);

}  // namespace kbench
