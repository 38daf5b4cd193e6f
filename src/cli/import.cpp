// kbench import: docs/import.md.
#include "import/import.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace kbench {
namespace {

struct Options {
  std::string from;
  std::string format;
  std::string root;
  std::string report = "text";
  bool dry_run = false;
};

int import(const Options& options) {
  const ImportReport report = import_files(options.from, *find_import_format(options.format),
                                           options.root, options.dry_run);
  if (options.report == "json") {
    print(import_json(report, options.dry_run));
  } else {
    print(report_text(report.notes, terminal().colour_out, true));
    if (report.usable) tell(import_summary(report, options.dry_run));
  }
  if (!report.usable) return exit_input;
  return report.left_out > 0 ? exit_negative : exit_good;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.emplace_back(format.name);
  return names;
}

}  // namespace

std::function<int()> declare_import(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("what", options->from, "A file, or a folder of which every file is read")
      ->required()
      ->option_text("DIR|FILE");
  app.add_option("--from", options->format,
                 "Format: " + fmt::format("{}", fmt::join(format_names(), ", ")))
      ->required()
      ->check(CLI::IsMember(format_names()))
      ->option_text("FORMAT");
  app.add_option("--to", options->root, "The trace set to write; nothing in it is overwritten")
      ->required()
      ->option_text("DIR");
  app.add_flag("--dry-run", options->dry_run, "Write nothing, say what would be");
  app.add_option("--format", options->report, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("FORMAT");
  return [options] { return import(*options); };
}

}  // namespace kbench
