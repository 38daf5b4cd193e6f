// A search that was recorded elsewhere as advice for one of a Solution: which configurations to ask
// about first. Nothing of what they took there is believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "registry/tunables.hpp"
#include "tune/space.hpp"

namespace kbench {

struct ImportedSearch {
  std::vector<Configuration> fastest_first;  // with values as the Solution lists them
  std::size_t failed = 0;                    // further ones, that failed there
};

// Reads a cache file of Kernel Tuner or T4 results. Parameters and values that the Solution does
// not have are reported at their places, as all that is wrong with the file; then nothing is
// returned.
std::optional<ImportedSearch> import_search(const Source& source, const Tunables& tunables,
                                            Diagnostics& diagnostics);

struct ImportedFirst {
  std::vector<std::uint32_t> numbers;  // in the space, the fastest first
  std::size_t missing = 0;             // that the space does not have
};

// A parameter that the file does not have has the value that it has in `others`.
ImportedFirst first_of(const ImportedSearch& imported, const Configuration& others,
                       const Space& space);

}  // namespace kbench
