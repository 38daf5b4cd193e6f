// Overlay files: configurations that a user states for calls, before any that were tuned.
// docs/tuned-store.md
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/tunables.hpp"
#include "schema/tuned_entry.hpp"

namespace kbench {

// Places of the parts of a row, and the source that it was tuned with.
struct OverlayPlaces {
  Where row, definition, solution, configuration;
  OrderedMap<Where> axes = {};    // places of the names in it
  std::vector<Where> where = {};  // places of its conditions
  // Digest of the Solution in its provenance. "": a row by hand, whatever the source.
  std::string solution_digest = {};
};

struct Overlay {
  std::string file;
  std::vector<OverlayRow> rows;
  std::vector<OverlayPlaces> places;  // places of each row
};

// Reads an overlay; mistakes are reported, and give nullopt.
std::optional<Overlay> read_overlay(const Source& source, Diagnostics& out);

// Call for which a configuration is asked.
struct OverlayQuery {
  std::string_view definition;
  std::string_view solution;
  std::string_view direction;
  std::string_view context;
  std::string_view objective;
  const CallFacts& axes;                  // all axes of the call
  std::string_view solution_digest = {};  // "": unknown
};

// Returns the row that fits the call, the last of those that do; nullptr where none does. One that
// was tuned with another source fits none.
const OverlayRow* find_row(const Overlay& overlay, const OverlayQuery& query);
// Returns "file:line" of a row.
std::string place_of(const Overlay& overlay, const OverlayRow& row);

// Solution that rows may name.
struct OverlayTarget {
  std::string definition;
  std::string solution;
  const Tunables* tunables = nullptr;   // nullptr: its values are not checked
  const Definition* axes_of = nullptr;  // nullptr: names of axes are not checked
  std::string digest = {};              // digest of the Solution; "": any
};

// Warns of rows that are for none of these, also as the Definition lacks their axes or as they were
// tuned with another source, and reports values that no configuration of a Solution can have,
// whatever the axes.
void check_overlay(const Overlay& overlay, std::span<const OverlayTarget> targets,
                   Diagnostics& out);

// Tuned entries as an overlay file that can be committed, and back. docs/tuned-store.md

// Returns a row for each entry, for the lengths and directions that the entry is found for, with
// the entry as its provenance, in the order of entries: of those that fit a call the last one
// counts. Scalars and machines are not in rows: who names the overlay answers for them.
OverlayFile overlay_of(std::span<const TunedEntry> entries);

// Begin of the text of such a file.
constexpr std::string_view overlay_mark = "{\n  \"schema\": \"kbench.overlay/";
std::string overlay_text(const OverlayFile& overlay);

// Returns the entries that the rows of an export have as their provenance, if they are as they were
// written; others are reported, each at its place. Rows without one, as people write them, are
// warned of.
std::vector<TunedEntry> entries_of(const Overlay& overlay, Diagnostics& out);

}  // namespace kbench
