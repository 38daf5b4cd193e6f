// kbench schema: the JSON Schema of a kind of record.
#include <fmt/format.h>

#include <memory>

#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "schema/kinds.hpp"

namespace kbench {
namespace {

int list_kinds() {
  for (const Kind& kind : kinds()) print(fmt::format("{:<14}{}\n", kind.name, kind.doc));
  return exit_good;
}

int schema(const std::string& name) {
  if (name.empty()) return list_kinds();
  const Kind* kind = find_kind(name);
  if (kind == nullptr) {
    const std::string hint = did_you_mean(name, kind_names());
    say_error("kbench schema", fmt::format("unknown kind \"{}\"", name),
              hint.empty() ? "kinds are " + join(kind_names(), ", ") : hint);
    return exit_input;
  }
  print(kind->json_schema() + "\n");
  return exit_good;
}

}  // namespace

std::function<int()> declare_schema(CommandLine line) {
  auto name = std::make_shared<std::string>();
  line.add_option("kind [KIND]", *name, "Kind of record; without one, the kinds are listed");
  return [name] { return schema(*name); };
}

}  // namespace kbench
