// The verbs of kbench tuned, one file each: tuned_<verb>.cpp. docs/tuned-store.md
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tune/store_listing.hpp"

namespace CLI {
class App;
}

namespace kbench {

std::function<int()> declare_tuned_ls(CLI::App& app);
std::function<int()> declare_tuned_show(CLI::App& app);
std::function<int()> declare_tuned_rm(CLI::App& app);
std::function<int()> declare_tuned_export(CLI::App& app);
std::function<int()> declare_tuned_import(CLI::App& app);
std::function<int()> declare_tuned_verify(CLI::App& app);
std::function<int()> declare_tuned_path(CLI::App& app);

// Which entries of the store are meant.
struct WhichTuned {
  std::vector<std::string> keys;
  std::string definition;
  std::string solution;

  bool says_nothing() const { return keys.empty() && definition.empty() && solution.empty(); }
};

void declare_which(CLI::App& app, WhichTuned& which);

// Those of the listing, in its order; all of them where nothing is said. Words that fit none, or
// several keys, are reported.
std::vector<StoredEntry> find_tuned(const StoreListing& listing, const WhichTuned& which,
                                    Diagnostics& out);

// Says that files are damaged, and what tells more.
void tell_of_damage(const StoreListing& listing);

// "M=64", and of a bucket "M=33..64".
std::string lengths_text(const TuningKey& key);
// How many times as fast as the heuristic's it is; nothing where that is not known.
std::optional<double> gain_of(const TunedEntry& entry);
std::string gain_text(double gain);  // "1.42×"

}  // namespace kbench
