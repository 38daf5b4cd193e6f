// kbench completion: docs/install.md.
#include "cli/completion.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace kbench {

std::function<int()> declare_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Shell& one : shells()) names.emplace_back(one.name);
  app.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(names))
      ->option_text("SHELL");
  return [shell, &app] {
    for (const Shell& one : shells())
      if (one.name == *shell) print(one.write(model_of(app)));
    return static_cast<int>(exit_good);
  };
}

}  // namespace kbench
