// kbench tuned rm: entries of the store go.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/tune/tuned.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

struct TunedRmOptions {
  WhichTuned which;
  bool all = false;
  bool damaged = false;
  bool dry_run = false;
  std::string format = "text";
};

struct Doomed {
  std::filesystem::path file;
  std::string what;  // name for people
};

std::vector<Doomed> chosen(const StoreListing& listing, const TunedRmOptions& options,
                           Diagnostics& out) {
  std::vector<Doomed> doomed;
  if (!options.which.says_nothing() || options.all) {
    for (const StoredEntry& stored : find_tuned(listing, options.which, out)) {
      const TuningKey& parts = stored.entry.parts;
      const std::string lengths = lengths_text(parts);
      doomed.push_back(
          {stored.file, fmt::format("{} {} for {}{}", stored.entry.key, parts.solution,
                                    parts.definition, lengths.empty() ? "" : " with " + lengths)});
    }
  }
  if (!options.damaged && !options.all) return doomed;
  for (const DamagedFile& file : listing.damaged) doomed.push_back({file.file, file.file.string()});
  for (const auto& file : listing.quarantined) doomed.push_back({file, file.string()});
  return doomed;
}

void check_options(const TunedRmOptions& options, Diagnostics& out) {
  const bool is_nothing = options.which.says_nothing() && !options.all && !options.damaged;
  if (is_nothing)
    out.error({"kbench tuned rm"}, "nothing says what is to be removed",
              "keys, -d, -s, --damaged or --all");
  if (options.all && !options.which.says_nothing())
    out.error({"--all"}, "is all, and something is named beside it", "leave one of them out");
}

int rm(const TunedRmOptions& options) {
  Diagnostics problems;
  check_options(options, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  const StoreListing listing = list_store(tuned_root());
  const std::vector<Doomed> doomed = chosen(listing, options, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  nlohmann::ordered_json removed = nlohmann::ordered_json::array();
  for (const auto& [file, what] : doomed) {
    if (!options.dry_run) remove_from_store(file);
    removed.push_back(file.string());
    if (options.format == "text")
      print(fmt::format("{} {}\n", options.dry_run ? "would remove" : "removed", printable(what)));
  }
  if (options.format == "json")
    print(nlohmann::ordered_json{{"removed", removed}, {"dry_run", options.dry_run}}.dump(2) +
          "\n");
  if (doomed.empty()) tell("nothing to remove\n");
  return exit_after(problems, doomed.empty() ? exit_undecided : exit_good);
}

}  // namespace

std::function<int()> declare_tuned_rm(CommandLine line) {
  auto options = std::make_shared<TunedRmOptions>();
  declare_which(line, options->which);
  line.add_flag("--all", options->all, "Everything in the store");
  line.add_flag("--damaged", options->damaged, "Files that are no entries, and those put aside");
  line.add_flag("--dry-run", options->dry_run, "Say what would be removed");
  line.add_option("--format FORMAT", options->format, "text or json").one_of({"text", "json"});
  return [options] { return rm(*options); };
}

}  // namespace kbench
