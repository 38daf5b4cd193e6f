// kbench tuned ls: what is in the store, a line each.
#include <memory>

#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/report_printer.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/tune/tuned.hpp"
#include "contract/kernel_set.hpp"
#include "report/grid.hpp"
#include "schema/names.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

struct TunedLsOptions {
  WhichTuned which;
  std::string format = "table";
};

GridCell cell(std::string text) { return text.empty() ? GridCell{} : GridCell{std::move(text)}; }

std::string machine_name(const TuningKey& key) {
  const std::string* const gpu = key.machine.find("gpu");
  const std::string* const name = gpu != nullptr ? gpu : key.machine.find("cpu");
  return name == nullptr ? "" : *name;
}

std::string direction_text(const TuningKey& key) {
  return key.context.empty() ? key.direction : key.direction + ", " + key.context;
}

std::vector<GridCell> row_of(const TunedEntry& entry) {
  const TuningKey& parts = entry.parts;
  const auto gain = gain_of(entry);
  return {{entry.key},
          {parts.definition},
          {parts.solution},
          cell(lengths_text(parts)),
          {direction_text(parts)},
          {parts.objective},
          {configuration_text(entry.configuration)},
          {std::string(name_of(entry.decided)) + (entry.cut_short ? ", cut short" : "")},
          gain ? GridCell{*gain, gain_text(*gain)} : GridCell{},
          {entry.date, entry.date.substr(0, 10)},
          cell(machine_name(parts))};
}

int ls(const TunedLsOptions& options) {
  Diagnostics problems;
  const StoreListing listing = list_store(tuned_root());
  const std::vector<StoredEntry> found = find_tuned(listing, options.which, problems);
  if (problems.errors() > 0) {  // what is meant may be what is damaged
    tell_of_damage(listing);
    return exit_after(problems, exit_input);
  }
  Grid grid;
  grid.columns = {{"key"},
                  {"definition"},
                  {"solution"},
                  {"lengths"},
                  {"direction"},
                  {"objective"},
                  {"configuration"},
                  {"decided"},
                  {"gain"},
                  {"tuned"},
                  {"machine", "", Shown::never}};
  for (const StoredEntry& stored : found) grid.rows.push_back(row_of(stored.entry));
  if (!found.empty() || options.format != "table")
    print(write_grids({&grid, 1}, options.format, {terminal().colour_out, terminal().width}));
  if (found.empty() && listing.damaged.empty()) tell("nothing was tuned\n");
  tell_of_damage(listing);
  return exit_after(problems, exit_good);
}

}  // namespace

std::function<int()> declare_tuned_ls(CommandLine line) {
  auto options = std::make_shared<TunedLsOptions>();
  declare_which(line, options->which);
  line.add_option("--format", options->format, join(grid_format_names(), ", "))
      .one_of(grid_format_names())
      .text("FORMAT");
  return [options] { return ls(*options); };
}

}  // namespace kbench
