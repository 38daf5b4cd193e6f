// kbench tuned export: what was tuned as an overlay file, which can be committed.
#include <memory>

#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/report_printer.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/tune/tuned.hpp"
#include "tune/exchange.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

struct TunedExportOptions {
  WhichTuned which;
  std::string output;
  bool force = false;
};

int export_tuned(const TunedExportOptions& options) {
  Diagnostics problems;
  const StoreListing listing = list_store(tuned_root());
  std::vector<TunedEntry> entries;
  for (const StoredEntry& stored : find_tuned(listing, options.which, problems))
    entries.push_back(stored.entry);
  const WrittenOver over{overlay_mark, options.force};
  if (problems.errors() > 0 || !may_write(options.output, over, problems))
    return exit_after(problems, exit_input);
  tell_of_damage(listing);
  if (entries.empty()) {
    tell("nothing was tuned, and nothing is written\n");
    return exit_after(problems, exit_undecided);
  }
  const bool is_written = write_output(options.output, overlay_text(overlay_of(entries)), problems);
  return exit_after(problems, is_written ? exit_good : exit_environment);
}

}  // namespace

std::function<int()> declare_tuned_export(CommandLine line) {
  auto options = std::make_shared<TunedExportOptions>();
  declare_which(line, options->which);
  line.add_option("-o,--output", options->output, "The file; default: stdout").text("FILE");
  line.add_flag("--force", options->force, "Write over a file that is no overlay");
  return [options] { return export_tuned(*options); };
}

}  // namespace kbench
