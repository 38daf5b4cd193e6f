// Where a command's product goes.
#pragma once

#include <string>

#include "base/diagnostic.hpp"

namespace kbench {

// To the file, or of "" and "-" to stdout. False where it cannot be written, which is reported.
bool write_output(const std::string& file, const std::string& text, Diagnostics& reports);

}  // namespace kbench
