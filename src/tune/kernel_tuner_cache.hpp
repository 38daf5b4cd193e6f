// Searches that Kernel Tuner has recorded: its cache files, and T4 results, the format that the
// auto-tuning community shares. Sources: Kernel Tuner 1.5.0's cache files; the schema T4 1.0.0 that
// its package holds, and the files of the benchmark hub (docs/tuning.md).
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "tune/recorded_search.hpp"

namespace kbench {

// What is taken from the file; where nothing is said, what the file says: its objective, else
// "time", and whether more of it is better, by its name.
struct RecordedObjective {
  std::optional<std::string> name;
  std::optional<bool> is_higher_better;
};

// Either kind, told apart by their keys. A cache file that is still open (Kernel Tuner closes its
// brackets when a search ends) is read as far as its entries are whole; one that breaks off in an
// entry is warned of. Mistakes are reported at their places, and nothing is returned then.
std::optional<RecordedSearch> read_kernel_tuner(const Source& source,
                                                const RecordedObjective& objective,
                                                Diagnostics& diagnostics);

}  // namespace kbench
