// kbench new solution: one that builds, for a definition.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/new/making.hpp"
#include "cli/scaffold/solution.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/registry/sidecar.hpp"
#include "schema/names.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

const StarterLanguage& language_of(const NewOptions& options) {
  const auto languages = starter_languages();
  const auto found =
      std::find_if(languages.begin(), languages.end(),
                   [&](const StarterLanguage& row) { return row.name == options.language; });
  return found == languages.end() ? languages.front() : *found;
}

// Reads the gradients that the sidecar of an existing solution declares; a wrong one gives nothing
// and is printed.
std::optional<NewGradient> declared_gradient(const fs::path& record, const Definition& definition) {
  Diagnostics problems;
  const GradientSpec spec = read_sidecar_of(record, problems).gradients;
  fits(spec, definition, problems);
  if (complain(problems)) return std::nullopt;
  NewGradient out;
  for (const Nondiff& one : spec.nondiff) out.nondiff.push_back(one.input);
  for (const ResidualSpec& residual : spec.residuals)
    out.residuals[residual.name] = {residual.shape, residual.dtype};
  return out;
}

// Returns nothing where something is wrong, which is printed.
std::optional<NewSolution> made_solution(const NewOptions& options, const Definition& definition,
                                         const SolutionNames& names, const fs::path& root) {
  if (!options.gradient) return language_of(options).make(definition, names);
  if (!options.language.empty() && options.language != name_of(Language::cpp)) {
    complain("--gradient makes solutions in cpp");
    return std::nullopt;
  }
  const fs::path record = root / gradient_solution(definition, names, {}).files.front().path;
  const auto declared = declared_gradient(record, definition);
  if (!declared) return std::nullopt;
  NewSolution solution = gradient_solution(definition, names, *declared);
  // Declarations stay as they were written, and so does a source.
  if (is_there(root / solution.files.back().path)) {
    solution.files.pop_back();
    std::erase_if(solution.files, [&](const NewFile& file) {
      return file.path == solution.edit && is_there(root / file.path);
    });
  }
  return solution;
}

// Returns the first file that is there with another text, as it cannot be made anew; "" for none. A
// header can: nobody writes in it.
std::string in_the_way(const NewSolution& solution, const fs::path& root) {
  for (const NewFile& file : solution.files) {
    const auto there = read_file_if_there(root / file.path);
    if (there && *there != file.text && !file.path.ends_with(".h")) return file.path;
  }
  return "";
}

}  // namespace

int new_solution(const NewOptions& options) {
  const auto found = definition_for(options);
  if (!found) return exit_input;
  const fs::path root = find_root(options.root).value_or(".");
  const std::string name = options.name.empty()
                               ? fmt::format("{}_{}", options.author, found->definition.name)
                               : options.name;
  const auto wanted = made_solution(options, found->definition, {name, options.author}, root);
  if (!wanted) return exit_input;
  const NewSolution& solution = *wanted;
  const std::string there = in_the_way(solution, root);
  if (!there.empty())
    return complain((root / there).lexically_normal().string() + " is there already",
                    "give the new one another name: --name NAME");
  for (const NewFile& file : solution.files) {  // names are a stranger's: "op_type": "../.."
    const std::string path = fs::path(file.path).lexically_normal().string();
    if (!path.starts_with("solutions/"))
      return complain((root / path).lexically_normal().string() + " lies outside of the trace set",
                      "author, op_type, definition and name of a solution are folders of its path");
  }
  // A reader of stdout that closes it early must not leave half a solution.
  std::string written;
  for (const NewFile& file : solution.files) {
    const fs::path path = (root / file.path).lexically_normal();
    write_file(path, file.text);
    written += path.string() + "\n";
  }
  print(written);
  if (!solution.is_right)
    tell(fmt::format("it builds, and computes nothing yet: write {} in {}\n",
                     options.gradient ? "forward(), keep() and backward()" : "compute()",
                     fs::path(solution.edit).filename().string()));
  tell(fmt::format("next: kbench {} {} -s {}{}\n", options.gradient ? "grad" : "run -d",
                   shell_quote(found->definition.name), shell_quote(name),
                   again_with_root(options)));
  return exit_good;
}

}  // namespace kbench
