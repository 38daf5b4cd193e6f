#include "cli/shell/report_printer.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "cli/shell/command.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/terminal.hpp"

namespace kbench {

void ReportPrinter::print(const Diagnostics& reports) {
  for (const Diagnostic& report : reports.items()) {
    const bool wanted =
        report.level == Level::error || (!terminal().quiet && report.level == Level::warning);
    const std::string text = wanted ? render(report, terminal().colour_err) : "";
    if (text.empty() || !printed_.insert(text).second) continue;
    progress().beside([&] { std::fwrite(text.data(), 1, text.size(), stderr); });
  }
}

int exit_after(const Diagnostics& diagnostics, int otherwise) {
  for (const Diagnostic& one : diagnostics.items())
    fmt::print(stderr, "{}", render(one, terminal().colour_err));
  const bool is_input = diagnostics.errors() > 0 && otherwise != exit_environment;
  return is_input ? static_cast<int>(exit_input) : otherwise;
}

}  // namespace kbench
