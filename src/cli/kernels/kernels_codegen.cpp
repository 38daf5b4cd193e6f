// kbench kernels codegen: the C++ that calls and registers kernels.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/text.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/kernels/selection_check.hpp"
#include "cli/kernels/served_solutions.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/codegen/codegen.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/operators/name_rules.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct KernelsCodegenOptions {
  KernelOptions kernels;
  std::string selection;
  std::string registration = "static";
  std::string prim_ops;
  std::string folder;
  std::string depfile;
  std::string depfile_target;
  bool force = false;
  ServedOptions served;
  CodegenOptions codegen;
};

std::vector<GeneratedFile> files_of(const GeneratedCode& code, const CodegenTarget& target) {
  std::vector<GeneratedFile> files = code.files;
  for (const auto names : {kernel_source_headers(), target.runtime_files})
    for (const std::string_view name : names)
      files.push_back(
          {std::string(name), generated_banner() + read_file(installation().headers / name)});
  return files;
}

// Tells whether all of them may go there; none is written where one may not.
bool may_write_all(const std::vector<GeneratedFile>& files, const WrittenOver& over,
                   const fs::path& folder, Diagnostics& out) {
  bool good = true;
  const std::string in_cmake = fmt::format("#{}", over.mark.substr(2));
  for (const GeneratedFile& file : files) {
    WrittenOver own = over;
    if (file.name.ends_with(".cmake")) own.mark = in_cmake;
    good &= may_write((folder / file.name).string(), own, out);
  }
  return good;
}

// A file that is as it should be keeps its time, and nothing is built again.
bool write_if_changed(const fs::path& file, const std::string& text, Diagnostics& out) {
  std::error_code error;
  const bool is_there = fs::is_regular_file(file, error);
  return (is_there && read_file_if_there(file) == text) || write_output(file.string(), text, out);
}

// The paths of all of them.
std::vector<std::string> write_all(const std::vector<GeneratedFile>& files, const fs::path& folder,
                                   Diagnostics& out) {
  std::vector<std::string> written;
  for (const GeneratedFile& file : files) {
    if (!write_if_changed(folder / file.name, file.text, out)) break;
    written.push_back((folder / file.name).string());
  }
  return written;
}

// Tells whether codegen wrote it.
bool is_generated(const fs::path& file) {
  return read_if_readable(file).starts_with(trim(generated_banner()));
}

// Removes files that an earlier call wrote and this one did not: they would be compiled with the
// rest, and register kernels twice.
void remove_stale(const fs::path& folder, const std::vector<std::string>& written) {
  std::vector<fs::path> stale;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const bool is_written =
        std::find(written.begin(), written.end(), entry.path().string()) != written.end();
    if (entry.is_regular_file() && !is_written && is_generated(entry.path()))
      stale.push_back(entry.path());
  }
  std::sort(stale.begin(), stale.end());
  for (const fs::path& file : stale) {
    fs::remove(file);
    tell(fmt::format("removed {}, of an earlier call\n", file.string()));
  }
}

// Escapes a name for make: blanks stand behind backslashes, and two dollars are one. Names with
// other characters that make knows are refused: may_stand_in_rules().
std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == ' ' || c == '#' || c == ':') out += '\\';
    if (c == '$') out += '$';
    out += c;
  }
  return out;
}

std::string depfile_text(const std::vector<std::string>& outputs,
                         const std::vector<std::string>& inputs) {
  std::string out;
  for (const std::string& name : outputs)
    out += escaped(name) + (&name == &outputs.back() ? ":" : " \\\n");
  for (const std::string& name : inputs) out += " \\\n  " + escaped(name);
  return out + "\n";
}

std::vector<std::string> inputs_of(const KernelSet& kernels, const KernelsCodegenOptions& options) {
  std::vector<std::string> inputs;
  for (const KernelLibrary& library : kernels.libraries) {
    inputs.push_back(library.path);
    if (const auto sidecar = find_sidecar(library.path)) inputs.push_back(sidecar->string());
  }
  if (!options.selection.empty()) inputs.push_back(options.selection);
  if (options.kernels.needs_definitions && kernels.set) {
    for (const Stored<Definition>& one : kernels.set->definitions) inputs.push_back(one.path);
  }
  return inputs;
}

// Reads the selection; without one, everything that the libraries have is selected.
std::optional<OperatorSelection> read_selected(const KernelsCodegenOptions& options,
                                               const KernelSet& kernels, Diagnostics& out) {
  OperatorSelection all;
  all.include_all_operators = true;
  if (options.selection.empty()) return all;
  if (!is_there(options.selection)) {
    out.error({options.selection}, "no such file");
    return std::nullopt;
  }
  const Source source{options.selection, read_file(options.selection)};
  auto selection = read_selection(source, out);
  // Another library of the program may have what these have not.
  if (selection) check_selected_names(*selection, kernels, source, Level::warning, out);
  if (selection) check_selected_keys(*selection, kernels, source, out);
  return selection;
}

void warn_of_nothing(const std::vector<SelectedKernel>& chosen,
                     const KernelsCodegenOptions& options, Diagnostics& out) {
  if (chosen.empty())
    out.warning({options.selection.empty() ? options.folder : options.selection},
                "no kernel is selected: nothing will be registered");
}

void check_library_name(const std::string& name, const std::string& what, Diagnostics& out) {
  if (!ops::is_identifier(name) || ops::is_taken_in_cpp(name))
    out.error({what}, fmt::format("\"{}\" is no name in C++", name),
              "--lib-name NAME: letters, digits and _, and no keyword");
}

// Reports names of --prim-ops that cannot become names of macros.
void check_prim_ops(const std::string& names, Diagnostics& out) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '.';
  };
  for (const std::string_view name : split(names, ',')) {
    const std::string_view word = trim(name);
    if (!std::all_of(word.begin(), word.end(), is_part))
      out.error({"--prim-ops"}, fmt::format("\"{}\" is no operator", word),
                "as in executorch_prim::et_view.default, with commas between several");
  }
}

// Reports options that ExecuTorch's registration alone has, and those that need another one.
void check_options(const KernelsCodegenOptions& options, Diagnostics& out) {
  check_prim_ops(options.prim_ops, out);
  if (!options.codegen.library.empty())
    check_library_name(options.codegen.library, "--lib-name", out);
  if (!options.depfile_target.empty() && options.depfile.empty())
    out.error({"--depfile-target"}, "means nothing without --depfile");
  if (options.codegen.target == codegen_targets().front().name) {
    if (!options.codegen.library.empty() && options.registration != "manual")
      out.error({"--lib-name"}, "means nothing without --registration manual, or --as torch");
    return;
  }
  const auto refuse = [&](bool is_given, std::string_view name) {
    if (is_given)
      out.error({std::string(name)},
                fmt::format("means nothing with --as {}", options.codegen.target));
  };
  refuse(options.registration != "static", "--registration");
  refuse(options.codegen.exception_boundary, "--exception-boundary");
  refuse(options.codegen.dtype_header, "--dtype-header");
  refuse(!options.prim_ops.empty(), "--prim-ops");
}

// "my_kernels" of "solutions/me/my-kernels/kernels.yaml".
std::string library_name(const KernelSet& kernels) {
  if (kernels.libraries.empty()) return "";
  std::string name =
      fs::absolute(kernels.libraries.front().path).lexically_normal().parent_path().filename();
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "_" + name : name;
}

// Names the library by its folder, where no name is given.
void name_library(const KernelSet& kernels, std::string& name, Diagnostics& out) {
  if (!name.empty() || kernels.libraries.empty()) return;
  name = library_name(kernels);
  check_library_name(name, kernels.libraries.front().path, out);
}

CodegenInput input_of(const KernelSet& kernels, const std::vector<SelectedKernel>& chosen,
                      const OperatorSelection& selection) {
  CodegenInput input{chosen, selection, {}, all_kernels(kernels.libraries)};
  if (!kernels.set) return input;
  for (const Stored<Definition>& one : kernels.set->definitions)
    input.definitions.push_back(&one.record);
  return input;
}

// A line break in a name would begin another rule.
bool may_stand_in_rules(const std::vector<std::string>& names, Diagnostics& out) {
  const auto bad = std::find_if(names.begin(), names.end(), [](const std::string& name) {
    return has_controls(name) || name.find_first_of(";%|=\\") != name.npos;
  });
  if (bad != names.end()) out.error({*bad}, "is no name for a rule of make");
  return bad == names.end();
}

bool may_write_to(const std::vector<GeneratedFile>& files, const KernelsCodegenOptions& options,
                  const KernelSet& kernels, Diagnostics& out) {
  confine(options.folder);
  const std::string mark(trim(generated_banner()));
  WrittenOver over{mark, options.force, kbench::files_of(kernels)};
  over.inputs.emplace_back(options.selection);
  bool good = may_write_all(files, over, options.folder, out);
  // A depfile has no place for the mark that tells generated files from others.
  over.is_forced = true;
  good &= may_write(options.depfile, over, out);
  std::vector<std::string> names = inputs_of(kernels, options);
  names.insert(names.end(), {options.depfile_target, options.folder});
  good &= options.depfile.empty() || may_stand_in_rules(names, out);
  const fs::path beside = fs::path(options.depfile).parent_path();
  const bool has_folder = beside.empty() || is_folder(beside) ||
                          beside.lexically_normal() == fs::path(options.folder).lexically_normal();
  if (has_folder) return good;
  out.error({options.depfile}, "there is no folder " + beside.string());
  return false;
}

void write_depfile(const std::vector<std::string>& written, const KernelsCodegenOptions& options,
                   const KernelSet& kernels, Diagnostics& out) {
  if (options.depfile.empty()) return;
  const std::vector<std::string> target = {options.depfile_target};
  write_if_changed(
      options.depfile,
      depfile_text(options.depfile_target.empty() ? written : target, inputs_of(kernels, options)),
      out);
}

// Writes everything, or nothing where something may not be written.
int write_code(const GeneratedCode& code, const KernelsCodegenOptions& options,
               const KernelSet& kernels, Diagnostics& out) {
  const auto files = files_of(code, *find_codegen_target(options.codegen.target));
  if (!may_write_to(files, options, kernels, out)) return exit_input;
  const std::vector<std::string> written = write_all(files, options.folder, out);
  if (out.errors() == 0) remove_stale(options.folder, written);
  if (out.errors() == 0) write_depfile(written, options, kernels, out);
  if (out.errors() > 0) return exit_environment;
  if (options.codegen.target == "solutions")
    tell(fmt::format("{}: {}, {}\n", options.folder, counted(code.kernels, "solution"),
                     counted(written.size(), "file")));
  else
    tell(fmt::format("{}: {} of {} kernels, {}\n", options.folder, code.kernels,
                     all_kernels(kernels.libraries).size(), counted(written.size(), "file")));
  return exit_good;
}

// Writes everything but Solutions with a fault, or nothing where a file of configurations is wrong.
int codegen_solutions(KernelsCodegenOptions options) {
  Diagnostics problems;
  if (!options.selection.empty())
    problems.error({"--select"}, "means nothing with --as solutions", "--definition says which");
  check_options(options, problems);
  options.kernels.needs_definitions = options.kernels.leaves_out = true;
  const KernelSet kernels = load_kernels(options.kernels, problems);
  CodegenInput input;
  input.solutions = served_solutions(kernels, options.served, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  const auto code = generate(input, options.codegen, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  if (code.kernels == 0) {
    tell("nothing to do: no solution can be called so\n");
    return exit_after(problems, exit_undecided);
  }
  return exit_after(problems, write_code(code, options, kernels, problems));
}

int codegen(KernelsCodegenOptions options) {
  if (options.codegen.target == "solutions") return codegen_solutions(std::move(options));
  Diagnostics problems;
  const bool is_torch = options.codegen.target == "torch";
  check_options(options, problems);
  options.kernels.needs_definitions = is_torch;
  const KernelSet kernels = load_kernels(options.kernels, problems);
  if (is_torch) name_library(kernels, options.codegen.library, problems);
  const auto selection = read_selected(options, kernels, problems);
  if (problems.errors() > 0 || !selection) return exit_after(problems, exit_input);
  const auto chosen = selected_kernels(kernels.libraries, *selection, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_negative);
  warn_of_nothing(chosen, options, problems);
  options.codegen.registration =
      options.registration == "manual" ? Registration::manual : Registration::at_start;
  for (const std::string_view name : split(options.prim_ops, ',')) {
    if (!trim(name).empty()) options.codegen.prim_ops.emplace_back(trim(name));
  }
  const auto code = generate(input_of(kernels, chosen, *selection), options.codegen, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  return exit_after(problems, write_code(code, options, kernels, problems));
}

}  // namespace

std::function<int()> declare_kernels_codegen(CommandLine line) {
  auto options = std::make_shared<KernelsCodegenOptions>();
  declare_libraries(line, options->kernels);
  line.add_option("-d,--install-dir DIR", options->folder, "The folder that the files go to")
      .required();
  std::vector<std::string> targets;
  for (const CodegenTarget& one : codegen_targets()) targets.emplace_back(one.name);
  line.add_option("--as WHAT", options->codegen.target,
                  "executorch: kernels under its registry, or one that comes along; torch: an "
                  "operator library that torch.ops.load_library() takes; tvm-ffi: functions that "
                  "tvm_ffi.load_module() finds; solutions: a function of C++ for each Definition, "
                  "which chooses among its Solutions and their configurations")
      .one_of(targets);
  line.add_option("--definition NAME", options->served.definitions,
                  "With solutions: only these Definitions")
      .one_word();
  line.add_option("--tuned FILE", options->served.tuned,
                  "With solutions: what was tuned, as kbench tuned copy writes it");
  line.add_option("--overlay FILE", options->served.overlay,
                  "With solutions: configurations that count before what was tuned");
  line.add_option("--select YAML", options->selection,
                  "A selected_operators.yaml; default: all kernels");
  line.add_option("--registration WHEN", options->registration,
                  "static: when the program starts; manual: when it calls register_all_kernels()")
      .one_of({"static", "manual"});
  line.add_option("--lib-name NAME", options->codegen.library,
                  "With manual: the function is register_<NAME>_kernels(). With --as torch: the "
                  "namespace of aten's operators; default: the folder's name");
  line.add_flag("--exception-boundary", options->codegen.exception_boundary,
                "What a kernel throws is a failure of its call");
  line.add_flag("--dtype-header", options->codegen.dtype_header,
                "Also write selected_op_variants.h: which dtypes of an operator are built");
  line.add_option("--prim-ops OPS", options->prim_ops,
                  "Operators without tensors, with commas between: also write selected_prim_ops.h");
  line.add_option("--depfile FILE", options->depfile,
                  "Write what the files are made from, for make");
  line.add_option("--depfile-target FILE", options->depfile_target,
                  "What is made from it there, in the place of the files that are written");
  line.add_flag("--force", options->force, "Write over files that kbench did not write");
  return [options] { return codegen(*options); };
}

}  // namespace kbench
