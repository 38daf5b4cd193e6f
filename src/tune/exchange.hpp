// What was tuned as an overlay file that can be committed, and back. docs/tuned-store.md
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/tuned_entry.hpp"
#include "tune/overlay.hpp"

namespace kbench {

// A row for each entry, for the lengths and directions that the entry is found for, with the entry
// as its provenance, in the order of entries: of those that fit a call the last one counts. Of
// scalars and machine rows say nothing: whoever names the overlay does.
OverlayFile overlay_of(std::span<const TunedEntry> entries);

// How the text of such a file begins.
constexpr std::string_view overlay_mark = "{\n  \"schema\": \"kbench.overlay/";
std::string overlay_text(const OverlayFile& overlay);

// The entries that the rows of an export have as their provenance, if they are as they were
// written; others are reported, each at its place. Rows without one, as people write them, are
// warned of.
std::vector<TunedEntry> entries_of(const Overlay& overlay, Diagnostics& out);

}  // namespace kbench
