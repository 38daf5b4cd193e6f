// kbench tuned verify and path: whether the store is whole, and where it is.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/report_printer.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/tune/tuned.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

std::string verify_json(const StoreListing& listing) {
  nlohmann::ordered_json out{{"path", tuned_root().string()},
                             {"entries", listing.entries.size()},
                             {"damaged", nlohmann::ordered_json::array()},
                             {"put_aside", nlohmann::ordered_json::array()}};
  for (const auto& [file, why] : listing.damaged)
    out["damaged"].push_back({{"file", file.string()}, {"why", why}});
  for (const auto& file : listing.quarantined) out["put_aside"].push_back(file.string());
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string verify_text(const StoreListing& listing) {
  std::string out;
  for (const auto& [file, why] : listing.damaged)
    out += fmt::format("{}: {}\n", printable(file.string()), printable(why));
  for (const auto& file : listing.quarantined)
    out += fmt::format("{}: was put aside before\n", printable(file.string()));
  return out + fmt::format("{} whole, {} damaged\n",
                           listing.entries.size() == 1
                               ? "1 entry"
                               : fmt::format("{} entries", listing.entries.size()),
                           listing.damaged.size());
}

int verify(const std::string& format) {
  const StoreListing listing = list_store(tuned_root());
  print(format == "json" ? verify_json(listing) : verify_text(listing));
  if (!listing.damaged.empty())
    tell("  hint: kbench tuned rm --damaged removes what is no entry; a run would put it aside\n");
  return listing.damaged.empty() ? exit_good : exit_negative;
}

int path(const WhichTuned& which) {
  Diagnostics problems;
  if (which.says_nothing()) {
    print(tuned_root().string() + "\n");
    return exit_good;
  }
  const std::vector<StoredEntry> found = find_tuned(list_store(tuned_root()), which, problems);
  for (const StoredEntry& stored : found) print(stored.file.string() + "\n");
  return exit_after(problems, found.empty() ? exit_undecided : exit_good);
}

}  // namespace

std::function<int()> declare_tuned_verify(CommandLine line) {
  auto format = std::make_shared<std::string>("text");
  line.add_option("--format", *format, "text or json").one_of({"text", "json"}).text("FORMAT");
  return [format] { return verify(*format); };
}

std::function<int()> declare_tuned_path(CommandLine line) {
  auto which = std::make_shared<WhichTuned>();
  declare_which(line, *which);
  return [which] { return path(*which); };
}

}  // namespace kbench
