// kbench import: docs/import.md.
#include "cli/import/import.hpp"

#include <fmt/format.h>

#include <memory>

#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"

namespace kbench {
namespace {

struct ImportOptions {
  std::string from;
  std::string format;
  std::string root;
  std::string report = "text";
  bool dry_run = false;
  bool run_init = false;
};

int import(const ImportOptions& options) {
  const ImportReport report = import_files(options.from, *find_import_format(options.format),
                                           options.root, options.dry_run, options.run_init);
  if (options.report == "json") {
    print(import_json(report, options.dry_run));
  } else {
    print(report_text(report.notes, terminal().colour_out, true));
    if (report.usable) tell(import_summary(report, options.dry_run));
  }
  if (!report.usable) return exit_input;
  return report.left_out > 0 ? exit_negative : exit_good;
}

std::vector<std::string> foreign_format_names() {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.emplace_back(format.name);
  return names;
}

}  // namespace

std::function<int()> declare_import(CommandLine line) {
  auto options = std::make_shared<ImportOptions>();
  line.add_option("what DIR|FILE", options->from, "A file, or a folder of which every file is read")
      .required();
  line.add_option("--from FORMAT", options->format,
                  "Format: " + fmt::format("{}", fmt::join(foreign_format_names(), ", ")))
      .required()
      .one_of(foreign_format_names());
  line.add_option("--to DIR", options->root, "The trace set to write; nothing in it is overwritten")
      .required();
  line.add_flag("--run-init", options->run_init,
                "Run the code that makes inputs (init of FlashInfer's dumps, SOL-ExecBench's "
                "custom_inputs_entrypoint), in the sandbox, for workloads");
  line.add_flag("--dry-run", options->dry_run, "Write nothing, say what would be");
  line.add_option("--format FORMAT", options->report, "text or json").one_of({"text", "json"});
  return [options] { return import(*options); };
}

}  // namespace kbench
