// kbench completion: docs/install.md.
#include "cli/shell/completion.hpp"

#include <memory>

#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"

namespace kbench {

std::function<int()> declare_completion(CommandLine line) {
  auto shell = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Shell& one : shells()) names.emplace_back(one.name);
  line.add_option("shell", *shell, "bash, zsh or fish").required().one_of(names).text("SHELL");
  return [shell, line] {
    for (const Shell& one : shells())
      if (one.name == *shell) print(one.write(model_of(line.app())));
    return static_cast<int>(exit_good);
  };
}

}  // namespace kbench
