// kbench validate: docs/validate.md.
#include "validate/validate.hpp"

#include <fmt/format.h>

#include <memory>
#include <system_error>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "schema/kinds.hpp"
#include "schema/targets.hpp"
#include "schema/trace_set.hpp"
#include "validate/declarations.hpp"
#include "validate/kernels.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct ValidateCommand {
  std::vector<std::string> words;
  std::string root;
  std::string format = "text";
  ValidateOptions validate;
};

void say_wrong(const std::string& word, FoundFiles found, ValidationReport& report) {
  FileReport& file = report.files.emplace_back(FileReport{word, "", {}});
  file.messages.error({word}, std::move(found.message), std::move(found.hint));
}

// Validates a word; tells whether it named files, whatever trace set is around them.
bool validate_word(const std::string& word, const ValidateCommand& options,
                   ValidationReport& report) {
  std::error_code error;
  if (word == "-") {
    validate_text({"<stdin>", read_file("/dev/stdin")}, options.validate, report);
  } else if (fs::is_directory(word, error)) {
    confine(word);
    is_trace_set(word) ? validate_trace_set(word, options.validate, report)
                       : validate_folder(word, options.validate, report);
    return false;
  } else if (fs::exists(word, error)) {
    enclosing_root(word);
    validate_file(word, options.validate, report);
  } else if (is_path(word)) {
    say_wrong(word, {{}, "no such file or folder", ""}, report);
  } else {
    FoundFiles found = find_records(word, options.root);
    for (const fs::path& file : found.files) {
      tell(fmt::format("{}: {}\n", word, file.string()));
      validate_file(file, options.validate, report);
    }
    if (found.files.empty()) say_wrong(word, std::move(found), report);
  }
  return true;
}

void validate_current(const ValidateCommand& options, ValidationReport& report) {
  const auto root = find_root(options.root);
  if (root && is_trace_set(*root)) return validate_trace_set(*root, options.validate, report);
  say_wrong(root ? root->string() : ".",
            {{},
             "is no trace set: it has neither definitions/ nor workloads/",
             "name files, run in a trace set, say --root DIR, or set FIB_DATASET_PATH"},
            report);
}

int validate(const ValidateCommand& options) {
  ValidationReport report;
  bool has_files = false;
  for (const std::string& word : options.words)
    has_files = validate_word(word, options, report) || has_files;
  if (options.words.empty()) validate_current(options, report);
  if (has_files) check_declarations_of_files(report);
  check_libraries_together(report);
  if (options.format == "json") {
    print(report_json(report));
  } else {
    print(report_text(report, terminal().colour_out, terminal().verbose));
    tell(report_summary(report));
  }
  return worst(report) == Level::error ? exit_input : exit_good;
}

}  // namespace

std::function<int()> declare_validate(CommandLine line) {
  auto options = std::make_shared<ValidateCommand>();
  std::vector<std::string> kinds = kind_names();
  for (std::string& kind : kernel_kinds()) kinds.push_back(std::move(kind));
  line.add_option("what [PATH|NAME]...", options->words,
                  "Files, folders, trace sets, names, - for stdin; default: the current trace set");
  line.add_option("--root DIR", options->root, "Trace set in which names are looked up");
  line.add_option("--kind KIND", options->validate.kind,
                  "Kind of record, when it cannot be guessed")
      .one_of(kinds);
  line.add_flag("--strict", options->validate.strict,
                "Broken conventions and unknown keys are errors");
  line.add_option("--format FORMAT", options->format, "text or json").one_of({"text", "json"});
  return [options] { return validate(*options); };
}

}  // namespace kbench
