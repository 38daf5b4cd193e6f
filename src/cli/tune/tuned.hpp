// The verbs of kbench tuned, one file each: tuned_<verb>.cpp. docs/tuned-store.md
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tune/store.hpp"

namespace kbench {

class CommandLine;

std::function<int()> declare_tuned_list(CommandLine line);
std::function<int()> declare_tuned_rm(CommandLine line);
std::function<int()> declare_tuned_copy(CommandLine line);

// Words that say which entries of the store are meant.
struct WhichTuned {
  std::vector<std::string> keys;
  std::string definition;
  std::string solution;

  bool says_nothing() const { return keys.empty() && definition.empty() && solution.empty(); }
};

void declare_which(CommandLine line, WhichTuned& which);

// Returns the entries of the listing that are asked for, in its order; all without a word. Words
// that fit none, or several keys, are reported.
std::vector<StoredEntry> find_tuned(const StoreListing& listing, const WhichTuned& which,
                                    Diagnostics& out);

// Says that files are damaged, and what tells more.
void tell_of_damage(const StoreListing& listing);

// "M=64", and of a bucket "M=33..64".
std::string lengths_text(const TuningKey& key);

}  // namespace kbench
