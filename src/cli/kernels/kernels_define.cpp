// kbench kernels define: a Definition to begin with, from an operator's schema.
#include <memory>

#include "cli/kernels/kernels.hpp"
#include "cli/kernels/library_options.hpp"
#include "cli/kernels/operator_draft.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/report_printer.hpp"
#include "contract/kernel_set.hpp"
#include "operators/catalogue.hpp"
#include "schema/find_files.hpp"

namespace kbench {
namespace {

struct KernelsDefineOptions {
  KernelOptions kernels;
  std::string op;
  DraftWords words;
  std::string output;
  bool force = false;
};

// Finds the schema in the libraries that are named; without any, in PyTorch, else in the current
// trace set.
std::optional<ops::Schema> schema_of(const KernelsDefineOptions& options, KernelSet& libraries,
                                     Diagnostics& out) {
  const bool is_named = !options.kernels.words.empty() || !options.kernels.root.empty();
  auto known = is_named ? std::nullopt : find_schema({}, options.op);
  if (known || (!is_named && !find_root(""))) return known;
  libraries = load_kernels(options.kernels, out);
  return find_schema(libraries, options.op);
}

int define(const KernelsDefineOptions& options) {
  Diagnostics problems;
  KernelSet libraries;
  const auto schema = schema_of(options, libraries, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  if (!schema) {
    const std::string hint = operator_hint(options.op, libraries);
    problems.error({options.op, 0, 0, "", ""}, "no schema of this operator is known",
                   hint.empty() ? "name the library that declares it" : hint);
    return exit_after(problems, exit_input);
  }
  if (!may_write(options.output, {"", options.force, files_of(libraries)}, problems))
    return exit_after(problems, exit_input);
  std::vector<std::string> wrong;
  const std::string text =
      operator_draft(*schema, options.words, ops::installed_catalogue(), wrong);
  for (std::string& one : wrong) problems.error({options.op, 0, 0, "", ""}, std::move(one));
  if (!wrong.empty()) return exit_after(problems, exit_input);
  const bool is_written = write_output(options.output, text, problems);
  return exit_after(problems, is_written ? exit_good : exit_environment);
}

}  // namespace

std::function<int()> declare_kernels_define(CommandLine line) {
  auto options = std::make_shared<KernelsDefineOptions>();
  line.add_option("op", options->op, "The operator: add.out, or ns::name.overload")
      .required()
      .text("OP");
  declare_libraries(line, options->kernels);
  line.add_option("--input", options->words.inputs,
                  "A tensor or number that it is given: self:rows,d=64:float32, where d has one "
                  "length and rows each workload's; of a number alpha::float32")
      .text("NAME:AXES:DTYPE...");
  line.add_option("--result", options->words.outputs, "A tensor that it writes")
      .text("NAME:AXES:DTYPE...");
  line.add_option("--argument", options->words.arguments,
                  "What another argument is given, as op_arguments have it: dim=[1], keepdim=true")
      .text("NAME=VALUE...");
  line.add_option("-o,--output", options->output, "Where the Definition goes; default: stdout")
      .text("FILE");
  line.add_flag("--force", options->force, "Write over a file that is there");
  return [options] { return define(*options); };
}

}  // namespace kbench
