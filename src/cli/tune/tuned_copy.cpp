// kbench tuned copy: entries go from the store to a file, which can be committed, and back.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/tune/tuned.hpp"
#include "schema/targets.hpp"
#include "tune/overlay.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

constexpr const char* store_word = "store";

struct TunedCopyOptions {
  std::vector<std::string> places;  // words as given: FROM... TO, or store TO [KEY]...
  WhichTuned which;
  std::string output;  // file that takes the place of TO
  bool force = false;
  bool dry_run = false;
  bool replace = false;
  std::string format = "text";

  std::vector<std::string> from;
  std::string to;
};

// Tells sources, target and keys apart.
void split_places(TunedCopyOptions& options, Diagnostics& out) {
  const std::vector<std::string>& places = options.places;
  if (places.size() < 2) {
    return out.error({"kbench tuned copy"}, "needs FROM and TO",
                     "kbench tuned copy store FILE, or kbench tuned copy FILE store");
  }
  const bool is_export = places.front() == store_word;
  const auto target = is_export ? places.begin() + 1 : places.end() - 1;
  options.from.assign(places.begin(), target);
  options.to = options.output.empty() ? *target : options.output;
  options.which.keys.assign(target + 1, places.end());
}

// The fate of an entry, for programs and for people.
struct Fate {
  const char* outcome;
  const char* text;
};
constexpr Fate stored{"stored", "stored"};

Fate fate_of(const TunedStore& store, const TunedEntry& entry, bool replace) {
  const auto there = store.find(entry.parts);
  if (!there) return stored;
  if (there->digest == entry.digest) return {"same", "is there already"};
  if (entry.cut_short && !there->cut_short)
    return {"kept", "is of a search that was cut short; the whole one here stays"};
  if (replace || there->date < entry.date) return stored;
  return {"kept", "was tuned later here, which stays (--replace)"};
}

// Adds the entries of an overlay file.
void read_entries(const std::string& file, StoreListing& listing, Diagnostics& out) {
  if (!is_there(file) || is_folder(file)) {
    return out.error({file}, is_folder(file) ? "is a folder" : "no such file",
                     "kbench tuned copy store FILE writes the files that are meant");
  }
  const auto overlay = read_overlay({file, read_file(file)}, out);
  if (!overlay) return;
  for (TunedEntry& entry : entries_of(*overlay, out))
    listing.entries.push_back({file, std::move(entry)});
}

void copy_to_store(const std::vector<StoredEntry>& found, const TunedCopyOptions& options) {
  const TunedStore store(tuned_root(), [](const std::string& text) { tell(text + "\n"); });
  nlohmann::ordered_json done = nlohmann::ordered_json::array();
  for (const auto& [file, entry] : found) {
    const Fate fate = fate_of(store, entry, options.replace);
    const bool is_stored = fate.outcome == stored.outcome;
    if (is_stored && !options.dry_run) store.put(entry);
    done.push_back({{"key", entry.key}, {"outcome", fate.outcome}});
    if (options.format == "text")
      print(fmt::format("{} {} for {}: {}{}\n", entry.key, printable(entry.parts.solution),
                        printable(entry.parts.definition),
                        is_stored && options.dry_run ? "would be " : "", fate.text));
  }
  if (options.format == "json") print(done.dump(2) + "\n");
}

// Returns false where the file cannot be written, which is reported.
bool copy_to_file(const std::vector<StoredEntry>& found, const TunedCopyOptions& options,
                  Diagnostics& out) {
  std::vector<TunedEntry> entries;
  for (const StoredEntry& stored : found) entries.push_back(stored.entry);
  return options.dry_run || write_output(options.to, overlay_text(overlay_of(entries)), out);
}

int copy(TunedCopyOptions& options) {
  Diagnostics problems, choice;
  split_places(options, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  StoreListing listing;
  for (const std::string& from : options.from) {
    if (from == store_word) {
      listing = list_store(tuned_root());
      tell_of_damage(listing);
    } else {
      read_entries(from, listing, problems);
    }
  }
  const std::vector<StoredEntry> found = find_tuned(listing, options.which, choice);
  problems.append(std::move(choice));
  const bool is_to_store = options.to == store_word;
  if (!is_to_store) {
    const WrittenOver over{overlay_mark, options.force, {options.from.begin(), options.from.end()}};
    if (problems.errors() > 0 || !may_write(options.to, over, problems))
      return exit_after(problems, exit_input);
  }
  if (found.empty() && problems.errors() == 0) tell("nothing to copy\n");
  if (found.empty()) return exit_after(problems, exit_undecided);
  bool is_written = true;
  if (is_to_store) {
    copy_to_store(found, options);
  } else {
    is_written = copy_to_file(found, options, problems);
  }
  return exit_after(problems, is_written ? exit_good : exit_environment);
}

}  // namespace

std::function<int()> declare_tuned_copy(CommandLine line) {
  auto options = std::make_shared<TunedCopyOptions>();
  line.add_option("from FROM TO [KEY]...", options->places,
                  "Files to the store, or from it: FILE... store, or store FILE and the keys of "
                  "entries; - is stdout")
      .required();
  line.add_option("-d,--definition NAME", options->which.definition, "Those of this definition");
  line.add_option("-s,--solution NAME", options->which.solution, "Those of this solution");
  line.add_option("-o,--output FILE", options->output, "A file in the place of TO");
  line.add_flag("--force", options->force, "Write over a file that is no overlay");
  line.add_flag("--replace", options->replace, "Write over entries that were tuned later");
  line.add_flag("--dry-run", options->dry_run, "Say what would be copied");
  line.add_option("--format FORMAT", options->format,
                  "text or json: how the store's answers are said")
      .one_of({"text", "json"});
  return [options] { return copy(*options); };
}

}  // namespace kbench
