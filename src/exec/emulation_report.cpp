#include "exec/emulation_report.hpp"

#include "base/text.hpp"

namespace kbench {

std::optional<EmulationReport> read_emulation_report(std::string_view output) {
  constexpr std::string_view beginning = "kbench-emulation: ";
  std::optional<EmulationReport> report;
  for (std::string_view line : split(output, '\n')) {
    if (!line.starts_with(beginning)) continue;
    line.remove_prefix(beginning.size());
    const std::size_t blank = std::min(line.find(' '), line.size());
    report = {std::string(line.substr(0, blank)), std::string(trim(line.substr(blank)))};
    // "./kernel.cu:3" of the debugging information.
    if (const std::size_t at = report->text.find(", ./"); at != report->text.npos)
      report->text.erase(at + 2, 2);
  }
  return report;
}

}  // namespace kbench
