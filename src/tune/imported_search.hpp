// Search that another tuner recorded, as advice for one of a Solution: its times decide which
// configurations are asked about first, and nothing more. docs/tuning.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/tunables.hpp"
#include "tune/space.hpp"

namespace kbench {

struct ImportedSearch {
  std::vector<std::uint32_t> first;  // numbers in the space, the fastest there first
  std::size_t missing = 0;           // number of those that the space does not have
  std::size_t failed = 0;            // number of those that have no time there
};

// Space that a search goes through. A parameter that a file does not have takes its value from
// `others`.
struct ImportedInto {
  const Tunables& tunables;
  const Space& space;
  const Configuration& others;
};

// Reads a cache file of Kernel Tuner, open or closed at its end, or T4 results. Reports a file in
// which nothing is of the space, and returns nullopt.
std::optional<ImportedSearch> import_search(const Source& source, const ImportedInto& into,
                                            Diagnostics& diagnostics);

}  // namespace kbench
