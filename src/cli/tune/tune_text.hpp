// Findings of `kbench tune`: for people, for programs, and as a page with pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/format.hpp"
#include "schema/tuned_entry.hpp"
#include "tune/tuner.hpp"

namespace kbench {

struct TuneText {
  std::string definition, solution, workload;
  OrderedMap<std::int64_t> axes;
  std::string direction = "fwd";
  std::string objective = "time";
  std::string key;  // 16 digits
  std::vector<std::string> parameters;
  std::string heuristic;            // "BLOCK=128,VEC=4"; "" where there is none
  TuneReport report;                // has no rows where nothing was tried
  std::optional<TunedEntry> known;  // set where it was tuned before
  bool is_kept = false;             // set where it was just stored
};

// A table of each search, the configurations that were tried, the fastest first, with a picture: a
// point for each, when it was tried and how long it takes, and the best so far. JSON has an object
// for each search; times in nanoseconds. Refers to `searches`.
Document tune_document(std::span<const TuneText> searches);

// The page of --html, with what came of each.
std::string tune_html(std::span<const TuneText> searches);

// Outcome of one, in a few lines.
std::string tune_summary(const TuneText& search, bool is_plan);

}  // namespace kbench
