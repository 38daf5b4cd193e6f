#include "cli/shell/report_printer.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/terminal.hpp"

namespace kbench {
namespace {

std::string text_of(const Diagnostic& diagnostic) {
  if (!terminal().errors_in_json) return render(diagnostic, terminal().colour_err);
  const Where& where = diagnostic.where;
  const nlohmann::ordered_json object = {{"level", level_name(diagnostic.level)},
                                         {"error", diagnostic.message},
                                         {"hint", diagnostic.hint},
                                         {"place",
                                          {{"path", where.file},
                                           {"line", where.line},
                                           {"column", where.column},
                                           {"pointer", where.pointer}}}};
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

void say(const Diagnostic& diagnostic) {
  progress().beside([&] { fmt::print(stderr, "{}", text_of(diagnostic)); });
}

void say_error(std::string_view command, std::string_view message, std::string_view hint) {
  if (terminal().errors_in_json)
    return say({Level::error, {}, std::string(message), std::string(hint)});
  std::string text = fmt::format("{}: error: {}\n", command, printable_lines(message));
  if (!hint.empty()) text += fmt::format("  hint: {}\n", printable_lines(hint));
  progress().beside([&] { fmt::print(stderr, "{}", text); });
}

void ReportPrinter::print(const Diagnostics& reports) {
  for (const Diagnostic& report : reports.items()) {
    const bool wanted =
        report.level == Level::error || (!terminal().quiet && report.level == Level::warning);
    if (wanted && printed_.insert(render(report, false)).second) say(report);
  }
}

int exit_after(const Diagnostics& diagnostics, int otherwise) {
  for (const Diagnostic& one : diagnostics.items()) say(one);
  const bool is_input = diagnostics.errors() > 0 && otherwise != exit_environment;
  return is_input ? static_cast<int>(exit_input) : otherwise;
}

}  // namespace kbench
