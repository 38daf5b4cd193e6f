#include "cli/shell/help.hpp"

#include <CLI/CLI.hpp>

namespace kbench {
namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  // Prints a group of options, which has no name, as its options alone, under the group's text.
  std::string make_expanded(const CLI::App* app) const override {
    if (!app->get_name().empty()) return Formatter::make_expanded(app);
    const auto is_own = [app](const CLI::Option* one) { return one != app->get_help_ptr(); };
    return make_group(app->get_description(), false, app->get_options(is_own));
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace kbench
