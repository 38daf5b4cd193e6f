// kbench tuned: its verbs. A new one has a file, a declaration in tuned.hpp, and a row here.
#include "cli/tune/tuned.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "schema/trace.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

constexpr Command verbs_of_tuned[] = {
    {"list", "Print what was tuned, and check that its files are whole", &declare_tuned_list},
    {"rm", "Remove what was tuned", &declare_tuned_rm},
    {"copy", "Copy what was tuned to a file, or from one", &declare_tuned_copy},
};

Where argument(const std::string& text) { return {text}; }

// "" where no entry, or none alone, has a name that begins so; that is reported.
std::string name_meant(const std::string& word, std::vector<std::string> names,
                       const std::string& noun, Diagnostics& out) {
  if (word.empty()) return "";
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const NameMatch match = match_name(word, names, noun);
  if (!match.name.empty()) return match.name;
  const bool is_nothing = names.empty();
  out.error(argument(word), is_nothing ? "nothing was tuned" : match.message,
            match.is_unknown && match.hint.empty() ? "kbench tuned list prints what there is"
                                                   : match.hint);
  return "";
}

template <class Read>
std::vector<std::string> names_of(const StoreListing& listing, Read read) {
  std::vector<std::string> names;
  for (const StoredEntry& stored : listing.entries) names.push_back(read(stored.entry));
  return names;
}

}  // namespace

std::span<const Command> tuned_commands() { return verbs_of_tuned; }

void declare_which(CommandLine line, WhichTuned& which) {
  line.add_option("key [KEY]...", which.keys, "Keys of entries, or how they begin");
  line.add_option("-d,--definition NAME", which.definition, "Those of this definition");
  line.add_option("-s,--solution NAME", which.solution, "Those of this solution");
}

std::vector<StoredEntry> find_tuned(const StoreListing& listing, const WhichTuned& which,
                                    Diagnostics& out) {
  const std::string definition =
      name_meant(which.definition,
                 names_of(listing, [](const TunedEntry& entry) { return entry.parts.definition; }),
                 "definition", out);
  const std::string solution =
      name_meant(which.solution,
                 names_of(listing, [](const TunedEntry& entry) { return entry.parts.solution; }),
                 "solution", out);
  std::vector<std::string> keys;
  for (const std::string& key : which.keys) {
    if (key.empty()) out.error({}, "\"\" is no key", "kbench tuned list prints what there is");
    keys.push_back(name_meant(
        key, names_of(listing, [](const TunedEntry& entry) { return entry.key; }), "key", out));
  }
  std::vector<StoredEntry> found;
  if (out.errors() > 0) return found;
  for (const StoredEntry& stored : listing.entries) {
    const TuningKey& parts = stored.entry.parts;
    const bool is_named =
        keys.empty() || std::find(keys.begin(), keys.end(), stored.entry.key) != keys.end();
    if (is_named && (definition.empty() || parts.definition == definition) &&
        (solution.empty() || parts.solution == solution))
      found.push_back(stored);
  }
  return found;
}

void tell_of_damage(const StoreListing& listing) {
  if (!listing.damaged.empty())
    tell(fmt::format("{} {} damaged: kbench tuned list --check says which\n",
                     counted(listing.damaged.size(), "file"),
                     listing.damaged.size() == 1 ? "is" : "are"));
}

std::string lengths_text(const TuningKey& key) {
  std::vector<std::string> out;
  if (!key.axes.empty()) out.push_back(lengths_text(key.axes));
  for (const auto& [name, bucket] : key.buckets) out.push_back(fmt::format("{}={}", name, bucket));
  return join(out, ",");
}

}  // namespace kbench
