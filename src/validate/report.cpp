#include "validate/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

Json message_json(const Diagnostic& diagnostic) {
  return {{"level", level_name(diagnostic.level)}, {"line", diagnostic.where.line},
          {"column", diagnostic.where.column},     {"pointer", diagnostic.where.pointer},
          {"message", diagnostic.message},         {"hint", diagnostic.hint}};
}

Json file_json(const FileReport& file) {
  Json messages = Json::array();
  for (const Diagnostic& diagnostic : file.messages.items())
    messages.push_back(message_json(diagnostic));
  return {{"path", file.path},
          {"kind", file.kind.empty() ? Json() : Json(file.kind)},
          {"status", status_word(worst(file.messages))},
          {"messages", std::move(messages)}};
}

}  // namespace

void sort_by_line(Diagnostics& messages) {
  if (messages.items().size() < 2) return;
  std::vector<Diagnostic> items = messages.items();
  std::stable_sort(items.begin(), items.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.where.line < b.where.line;
  });
  messages = Diagnostics();
  for (Diagnostic& item : items) messages.add(std::move(item));
}

Level worst(const Diagnostics& messages) {
  Level level = Level::info;
  for (const Diagnostic& diagnostic : messages.items()) level = std::max(level, diagnostic.level);
  return level;
}

Level worst(const ValidationReport& report) {
  Level level = Level::info;
  for (const FileReport& file : report.files) level = std::max(level, worst(file.messages));
  return level;
}

std::string_view status_word(Level worst) {
  return worst == Level::info ? "ok" : level_name(worst);
}

std::string report_json(const ValidationReport& report) {
  Json files = Json::array();
  for (const FileReport& file : report.files) files.push_back(file_json(file));
  const Json json{{"status", status_word(worst(report))}, {"files", std::move(files)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string report_text(const ValidationReport& report, bool colour, bool verbose) {
  std::string text;
  for (const FileReport& file : report.files) {
    for (const Diagnostic& diagnostic : file.messages.items())
      if (verbose || diagnostic.level != Level::info) text += render(diagnostic, colour);
  }
  return text;
}

std::string report_summary(const ValidationReport& report) {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const FileReport& file : report.files) {
    for (const Diagnostic& diagnostic : file.messages.items()) {
      errors += diagnostic.level == Level::error;
      warnings += diagnostic.level == Level::warning;
    }
  }
  return fmt::format("{}, {}, {}\n", counted(report.files.size(), "file"), counted(errors, "error"),
                     counted(warnings, "warning"));
}

}  // namespace kbench
