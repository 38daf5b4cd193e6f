#include "exec/sanitizer_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr std::string_view runtime_error = ": runtime error: ";
constexpr std::string_view headings[] = {"ERROR: AddressSanitizer: ",
                                         "ERROR: UndefinedBehaviorSanitizer: "};
constexpr std::string_view no_memory = "ERROR: AddressSanitizer failed to allocate";
constexpr std::size_t kept_lines = 12;

// "kernel.cpp:12" of "./kernel.cpp:12:5" when that is one of the sources, else "".
std::string place_of(std::string_view location, const std::vector<std::string>& sources) {
  if (location.starts_with("./")) location.remove_prefix(2);
  for (const std::string& source : sources) {
    const std::string_view rest =
        location.starts_with(source) ? location.substr(source.size()) : std::string_view();
    if (!rest.starts_with(':')) continue;
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    if (digits > 1) return source + std::string(rest.substr(0, digits));
  }
  return "";
}

std::optional<std::uint64_t> first_address(std::string_view text) {
  const std::size_t at = text.find("0x");
  if (at == text.npos) return std::nullopt;
  std::uint64_t value = 0;
  const char* const begin = text.data() + at + 2;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value, 16);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// Addresses differ from run to run, and a cause does not.
std::string without_addresses(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = text.find(" 0x");
    out += text.substr(0, at);
    if (at == text.npos) break;
    text.remove_prefix(at + 3);
    const std::size_t end = text.find_first_not_of("0123456789abcdef");
    text.remove_prefix(std::min(end, text.size()));
  }
  return out;
}

// "heap-buffer-overflow on address 0x… at pc …" → "heap-buffer-overflow"
std::string kind_of(std::string_view heading) {
  std::size_t end = heading.size();
  for (const std::string_view mark : {" on ", ": ", " (", " 0x"}) {
    end = std::min(end, heading.find(mark));
  }
  return std::string(trim(heading.substr(0, end)));
}

// "READ of size 4 at 0x… thread T0" → "read of 4 bytes"
std::string access_of(std::string_view line) {
  for (const auto& [says, means] :
       {std::pair("READ of size ", "read"), std::pair("WRITE of size ", "write")}) {
    if (!line.starts_with(says)) continue;
    const std::string_view rest = line.substr(std::string_view(says).size());
    const std::string_view bytes = rest.substr(0, rest.find(' '));
    return fmt::format("{} of {} byte{}", means, bytes, bytes == "1" ? "" : "s");
  }
  if (line.find("caused by a READ memory access") != line.npos) return "read";
  if (line.find("caused by a WRITE memory access") != line.npos) return "write";
  return "";
}

using Lines = std::vector<std::string_view>;

// Reads a report of the undefined-behaviour sanitizer, which is one line.
std::optional<SanitizerReport> read_line(std::string_view line,
                                         const std::vector<std::string>& sources) {
  const std::size_t at = line.find(runtime_error);
  if (at == line.npos) return std::nullopt;
  SanitizerReport report;
  report.bug = without_addresses(trim(line.substr(at + runtime_error.size())));
  report.place = place_of(line.substr(0, at), sources);
  report.address = first_address(line.substr(at));
  return report;
}

// Reads a report of the others: a heading, the access, and the stack's frames up to an empty line.
std::optional<SanitizerReport> read_block(const Lines& lines, std::size_t i,
                                          const std::vector<std::string>& sources) {
  std::string_view heading;
  for (const std::string_view one : headings) {
    const std::size_t at = lines[i].find(one);
    if (at != lines[i].npos) heading = lines[i].substr(at + one.size());
  }
  if (heading.empty()) return std::nullopt;
  SanitizerReport report;
  report.bug = kind_of(heading);
  report.address = first_address(heading);
  for (std::size_t k = i + 1; k < lines.size() && !trim(lines[k]).empty(); ++k) {
    const std::string_view line = trim(lines[k]);
    if (report.access.empty()) report.access = access_of(line);
    if (!line.starts_with('#') || !report.place.empty()) continue;
    report.place = place_of(line.substr(line.rfind(' ') + 1), sources);
  }
  return report;
}

std::optional<SanitizerReport> read_no_memory(std::string_view line) {
  if (line.find(no_memory) == line.npos) return std::nullopt;
  SanitizerReport report;
  report.bug = "out of memory";
  return report;
}

}  // namespace

std::optional<SanitizerReport> read_sanitizer_report(std::string_view output,
                                                     const std::vector<std::string>& sources) {
  const Lines lines = split(output, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto report = read_line(lines[i], sources);
    if (!report) report = read_block(lines, i, sources);
    if (!report) report = read_no_memory(lines[i]);
    if (!report) continue;
    for (std::size_t k = i; k < std::min(lines.size(), i + kept_lines); ++k)
      report->first_lines += std::string(lines[k]) + "\n";
    return report;
  }
  return std::nullopt;
}

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
