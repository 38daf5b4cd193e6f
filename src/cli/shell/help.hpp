// What --help says of options of which one must be given: CLI11 would print them as a subcommand.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace kbench {

std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace kbench
