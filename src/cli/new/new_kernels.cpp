// kbench new kernels: a kernel library that builds, and a program that calls it.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/new/making.hpp"
#include "cli/scaffold/template.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/operators/name_rules.hpp"

namespace kbench {
namespace fs = std::filesystem;

int new_kernels(const NewOptions& options) {
  const std::string name = options.definition.empty() ? "mylib" : options.definition;
  if (!ops::is_identifier(name))
    return complain(fmt::format("\"{}\" is no name of a library: it becomes a namespace", name),
                    "letters, digits and _");
  const fs::path root = options.root.empty() ? "." : options.root;
  confine(root);
  const auto files = kernel_library_files(name);
  std::error_code error;
  for (const NewFile& file : files)
    if (const fs::path path = root / file.path; fs::exists(path, error))
      return complain(path.lexically_normal().string() + " is there already",
                      "give the new one another name");
  for (const NewFile& file : files) {
    write_file(root / file.path, file.text);
    print((root / file.path).lexically_normal().string() + "\n");
  }
  const std::string yaml = shell_quote((root / files.front().path).lexically_normal().string());
  tell(fmt::format("next: kbench kernels check {0}; kbench kernels codegen {0} -d gen\n", yaml));
  return exit_good;
}

}  // namespace kbench
