// Searches of other programs as advice for `kbench tune`: Kernel Tuner's cache files and T4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/tune/tune_text.hpp"
#include "tune/tuner.hpp"

namespace kbench {

// The configurations of the file that the space has, the fastest there first; how many these are is
// said. Nothing where the file is wrong or of other parameters, which is reported.
std::optional<std::vector<std::uint32_t>> imported_first(const std::string& file,
                                                         const TuneSubject& subject,
                                                         const CallFacts& facts,
                                                         Diagnostics& reports);

}  // namespace kbench
