// Result of a search as an entry of the store.
#pragma once

#include <optional>
#include <string>

#include "schema/tuned_entry.hpp"
#include "tune/tuner.hpp"

namespace kbench {

// Parts of an entry that the search does not know.
struct TunedCircumstances {
  TuningKey key;
  std::string workload;  // uuid of the workload
  OrderedMap<std::int64_t> axes;
  std::string strategy;
  std::uint64_t seed = 0;
  std::string date, kbench;
};

// Returns nullopt where no configuration can be used.
std::optional<TunedEntry> tuned_entry(const TuneReport& report,
                                      const TunedCircumstances& circumstances);

}  // namespace kbench
