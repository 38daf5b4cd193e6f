#include "exec/compute_sanitizer_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr std::string_view prefix = "=========";
constexpr std::string_view digits = "0123456789";

using Lines = std::vector<std::string_view>;

bool has(std::string_view text, std::string_view words) { return text.find(words) != text.npos; }

// A heading has one blank before it, its details have more.
std::optional<std::string_view> heading_in(std::string_view line) {
  if (!line.starts_with(prefix)) return std::nullopt;
  line.remove_prefix(prefix.size());
  if (line.size() < 2 || line[0] != ' ' || line[1] == ' ') return std::nullopt;
  return trim(line);
}

bool is_detail(std::string_view line) {
  return line.starts_with(prefix) && line.substr(prefix.size()).starts_with("  ");
}

// Races are errors and warnings, as the tool's own troubles are.
bool is_race(std::string_view heading) {
  return has(heading, "Race reported") || has(heading, "hazard detected");
}

bool is_trouble(std::string_view heading) {
  return !is_race(heading) &&
         (heading.starts_with("Error: ") || heading.starts_with("Internal Sanitizer Error") ||
          heading.starts_with("Target application terminated before"));
}

bool is_note(std::string_view heading) {
  constexpr std::string_view begins[] = {"COMPUTE-SANITIZER", "Warning: ", "Target application",
                                         "Tracking kernels", "Program hit"};
  return has(heading, " SUMMARY: ") ||
         (!is_race(heading) && std::any_of(std::begin(begins), std::end(begins),
                                           [&](auto words) { return heading.starts_with(words); }));
}

// A function, and a line of a source.
struct Location {
  std::string function, place;
  std::string_view whole;  // "twice(float*)+0x90 in /tmp/kernel.cu:12"
};

// Finds "kernel.cu:12" in a location that ends so, whatever folders stand before it.
std::optional<std::string_view> place_in(std::string_view location,
                                         const std::vector<std::string>& sources) {
  for (const std::string& source : sources) {
    const std::size_t at = location.rfind(source + ":");
    if (at == location.npos) continue;
    const bool is_name = at == 0 || location[at - 1] == '/' || location[at - 1] == ' ';
    const std::size_t line = at + source.size() + 1;
    const std::size_t end = std::min(location.find_first_not_of(digits, line), location.size());
    if (is_name && end > line) return location.substr(at, end - at);
  }
  return std::nullopt;
}

// Reads the location in "… at FUNCTION+0x90 in PATH:12 …"; in calls "Device Frame: " stands for "at
// ".
std::optional<Location> location_in(std::string_view text,
                                    const std::vector<std::string>& sources) {
  const std::size_t code = std::min(text.find("+0x"), text.find(":0x"));
  if (code == text.npos) return std::nullopt;
  std::size_t begin = text.starts_with("at ") ? 3 : 0;
  for (const std::string_view word : {" at ", "Device Frame:"})
    if (const std::size_t at = text.rfind(word, code); at != text.npos)
      begin = std::max(begin, at + word.size());
  Location location;
  location.function = trim(text.substr(begin, code - begin));
  std::string_view rest = text.substr(code);
  rest = rest.substr(0, rest.find(" and "));
  const auto place = place_in(rest, sources);
  if (place) location.place = *place;
  const char* const end = place ? place->data() + place->size()
                                : text.data() + std::min(text.find(' ', code), text.size());
  location.whole = {text.data() + begin, static_cast<std::size_t>(end - text.data()) - begin};
  return location;
}

// "(3,0,0)" behind the first of `words` that the text has.
std::optional<std::string> index_behind(std::string_view text,
                                        std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    const std::size_t at = text.find(word);
    if (at == text.npos) continue;
    const std::string_view rest = text.substr(at + word.size());
    if (rest.starts_with('(')) return std::string(rest.substr(0, rest.find(')') + 1));
  }
  return std::nullopt;
}

// Returns the text without places in machine code, and with sources as the solution names them.
std::string words_of(std::string_view text, const std::vector<std::string>& sources) {
  const auto location = location_in(text, sources);
  if (!location) return std::string(text);
  const auto at = static_cast<std::size_t>(location->whole.data() - text.data());
  std::string out(text.substr(0, at));
  out += location->function;
  if (!location->place.empty()) out += " in " + location->place;
  out += words_of(text.substr(at + location->whole.size()), sources);
  return out;
}

// A heading and its details.
using Block = std::vector<std::string_view>;

void add_place(std::string_view line, const std::vector<std::string>& sources,
               SanitizerFinding& finding) {
  if (finding.place) return;
  const auto location = location_in(line, sources);
  if (!location || (finding.kernel && location->place.empty())) return;
  finding.kernel = location->function;
  if (!location->place.empty()) finding.place = location->place;
}

// The place is the innermost function in the sources; lines of their own behind the heading are
// part of the message: why an address is wrong, the other side of a race.
SanitizerFinding finding_in(const Block& block, std::string_view tool,
                            const std::vector<std::string>& sources) {
  SanitizerFinding finding;
  finding.tool = tool;
  std::string_view heading = block.front();
  for (const std::string_view level : {"ERROR: ", "Error: ", "WARNING: ", "Warning: "})
    if (heading.starts_with(level)) heading.remove_prefix(level.size());
  finding.message = words_of(heading, sources);
  for (const std::string_view line : block) {
    if (line.starts_with("Saved host backtrace")) break;
    add_place(line, sources, finding);
    if (!finding.thread) finding.thread = index_behind(line, {"hread ", "threads starting at "});
    if (!finding.block) finding.block = index_behind(line, {"block "});
    if (line.starts_with("and ") && is_race(block.front()))
      finding.message += " " + words_of(line, sources);
    else if (line.starts_with("Address 0x") && has(line, " is "))
      finding.message += ": address" + std::string(line.substr(line.find(" is ")));
  }
  return finding;
}

void add(SanitizerFinding finding, std::vector<SanitizerFinding>& findings) {
  const auto same =
      std::find_if(findings.begin(), findings.end(), [&](const SanitizerFinding& one) {
        return one.message == finding.message && one.kernel == finding.kernel &&
               one.place == finding.place;
      });
  if (same == findings.end())
    findings.push_back(std::move(finding));
  else
    ++same->reports;
}

}  // namespace

ToolReport read_tool_report(std::string_view output, std::string_view tool,
                            const std::vector<std::string>& sources) {
  ToolReport report;
  const Lines lines = split(output, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto heading = heading_in(lines[i]);
    if (!heading) continue;
    report.is_complete |= has(*heading, " SUMMARY: ");
    if (is_trouble(*heading) && report.trouble.empty()) report.trouble = *heading;
    if (is_trouble(*heading) || is_note(*heading)) continue;
    Block block = {*heading};
    while (i + 1 < lines.size() && is_detail(lines[i + 1]))
      block.push_back(trim(lines[++i].substr(prefix.size())));
    add(finding_in(block, tool, sources), report.findings);
  }
  return report;
}

std::string cause_of(const SanitizerFinding& finding) {
  std::string text = fmt::format("SANITIZER {}: {}", finding.tool, finding.message);
  const auto append = [&text](const char* word, const std::optional<std::string>& value) {
    if (value && text.find(*value) == text.npos) text += fmt::format(" {} {}", word, *value);
  };
  append("at", finding.place);
  append("in", finding.kernel);
  append("by thread", finding.thread);
  append("of block", finding.block);
  return text;
}

}  // namespace kbench
