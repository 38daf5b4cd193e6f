// What a search has found as an entry of the store, and as tables for people and programs.
#pragma once

#include <optional>
#include <string>

#include "schema/tuned_entry.hpp"
#include "tune/tuner.hpp"

namespace kbench {

// What of an entry the search does not know.
struct TunedCircumstances {
  TuningKey key;
  std::string workload;  // uuid
  OrderedMap<std::int64_t> axes;
  std::string strategy;
  std::uint64_t seed = 0;
  std::string date, kbench;
};

// Nothing where no configuration can be used.
std::optional<TunedEntry> tuned_entry(const TuneReport& report,
                                      const TunedCircumstances& circumstances);

}  // namespace kbench
