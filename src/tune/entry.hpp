// Entries of the store of tuned configurations as text.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "schema/tuned_entry.hpp"

namespace kbench {

// With the key of its parts and the digest of all the rest.
TunedEntry sealed(TunedEntry entry);

// As files hold it: JSON of several lines.
std::string entry_text(const TunedEntry& entry);

// The other way round. Nothing where it is no entry, or not as it was written: `why` says in a line
// what is wrong.
std::optional<TunedEntry> read_entry(const Source& source, std::string& why);

// What keeps an entry from being one: its key is not that of its parts, or its digest another's; ""
// for a good one.
std::string flaw_of(const TunedEntry& entry);

}  // namespace kbench
