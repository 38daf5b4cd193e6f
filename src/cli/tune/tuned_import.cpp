// kbench tuned import: entries that an export holds come into the store.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/report_printer.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/tune/tuned.hpp"
#include "contract/kernel_set.hpp"
#include "schema/find_files.hpp"
#include "tune/exchange.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

struct TunedImportOptions {
  std::vector<std::string> files;
  bool dry_run = false;
  bool replace = false;
  std::string format = "text";
};

// What becomes of an entry.
enum class Fate { stored, same, kept, whole };

Fate fate_of(const TunedStore& store, const TunedEntry& entry, bool replace) {
  const auto there = store.find(entry.parts);
  if (!there) return Fate::stored;
  if (there->digest == entry.digest) return Fate::same;
  if (entry.cut_short && !there->cut_short) return Fate::whole;
  return replace || there->date < entry.date ? Fate::stored : Fate::kept;
}

constexpr std::string_view fate_names[] = {"stored", "same", "kept", "kept"};  // in JSON

std::string said_of(Fate fate, bool dry_run) {
  if (fate == Fate::same) return "is there already";
  if (fate == Fate::kept) return "was tuned later here, which stays (--replace)";
  if (fate == Fate::whole) return "is of a search that was cut short; the whole one here stays";
  return dry_run ? "would be stored" : "stored";
}

std::vector<TunedEntry> read_entries(const std::string& file, Diagnostics& out) {
  if (!is_there(file) || is_folder(file)) {
    out.error({file, 0, 0, "", ""}, is_folder(file) ? "is a folder" : "no such file",
              "kbench tuned export writes the files that are meant");
    return {};
  }
  const auto overlay = read_overlay({file, read_file(file)}, out);
  return overlay ? entries_of(*overlay, out) : std::vector<TunedEntry>{};
}

int import_tuned(const TunedImportOptions& options) {
  Diagnostics problems;
  std::vector<TunedEntry> entries;
  for (const std::string& file : options.files) {
    for (TunedEntry& entry : read_entries(file, problems)) entries.push_back(std::move(entry));
  }
  const TunedStore store(tuned_root(), [](const std::string& text) { tell(text + "\n"); });
  nlohmann::ordered_json done = nlohmann::ordered_json::array();
  for (const TunedEntry& entry : entries) {
    const Fate fate = fate_of(store, entry, options.replace);
    if (fate == Fate::stored && !options.dry_run) store.put(entry);
    done.push_back({{"key", entry.key}, {"outcome", fate_names[static_cast<std::size_t>(fate)]}});
    if (options.format == "text")
      print(fmt::format("{} {} for {}: {}\n", entry.key, printable(entry.parts.solution),
                        printable(entry.parts.definition), said_of(fate, options.dry_run)));
  }
  if (options.format == "json") print(done.dump(2) + "\n");
  if (entries.empty() && problems.errors() == 0) tell("nothing to import\n");
  return exit_after(problems, entries.empty() ? exit_undecided : exit_good);
}

}  // namespace

std::function<int()> declare_tuned_import(CommandLine line) {
  auto options = std::make_shared<TunedImportOptions>();
  line.add_option("file", options->files, "What kbench tuned export has written")
      .required()
      .text("FILE...");
  line.add_flag("--replace", options->replace, "Also where what is there was tuned later");
  line.add_flag("--dry-run", options->dry_run, "Say what would be stored");
  line.add_option("--format", options->format, "text or json")
      .one_of({"text", "json"})
      .text("FORMAT");
  return [options] { return import_tuned(*options); };
}

}  // namespace kbench
