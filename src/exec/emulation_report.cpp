#include "exec/emulation_report.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace kbench {

namespace {

constexpr std::string_view note_kind = "NOTE";

std::vector<EmulationReport> reports_in(std::string_view output) {
  constexpr std::string_view beginning = "kbench-emulation: ";
  std::vector<EmulationReport> reports;
  for (std::string_view line : split(output, '\n')) {
    if (!line.starts_with(beginning)) continue;
    line.remove_prefix(beginning.size());
    const std::size_t blank = std::min(line.find(' '), line.size());
    EmulationReport& one = reports.emplace_back();
    one = {std::string(line.substr(0, blank)), std::string(trim(line.substr(blank)))};
    // "./kernel.cu:3" of the debugging information.
    if (const std::size_t at = one.text.find(", ./"); at != one.text.npos)
      one.text.erase(at + 2, 2);
  }
  return reports;
}

}  // namespace

std::optional<EmulationReport> read_emulation_report(std::string_view output) {
  std::vector<EmulationReport> reports = reports_in(output);
  std::erase_if(reports, [](const EmulationReport& one) { return one.kind == note_kind; });
  return reports.empty() ? std::nullopt : std::optional(std::move(reports.back()));
}

std::string emulation_note(std::string_view output) {
  for (const EmulationReport& one : reports_in(output))
    if (one.kind == note_kind) return one.text;
  return "";
}

}  // namespace kbench
