// What `kbench tune` takes from searches of other programs, and gives to these: Kernel Tuner's
// cache files and T4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/tune/tune_text.hpp"
#include "tune/tuner.hpp"

namespace kbench {

class CommandLine;

// The configurations of the file that the space has, the fastest there first; how many these are is
// said. Nothing where the file is wrong or of other parameters, which is reported.
std::optional<std::vector<std::uint32_t>> imported_first(const std::string& file,
                                                         const TuneSubject& subject,
                                                         const CallFacts& facts,
                                                         Diagnostics& reports);

struct TuneExport {
  std::string results, metadata;  // files; "": none
};
void declare_tune_export(CommandLine line, TuneExport& files);
// False where there is not one search, but none or several, which is said.
bool write_export(const TuneExport& files, const std::vector<TuneText>& texts);

}  // namespace kbench
