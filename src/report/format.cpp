#include "report/format.hpp"

#include "schema/to_json.hpp"

namespace kbench {
namespace {

constexpr Format report_formats[] = {
    {"table", "aligned columns for people", &write_table},
    {"csv", "one row a trace, RFC 4180", &write_csv, ".csv"},
    {"markdown", "GitHub's tables, one a definition", &write_markdown, ".md"},
    {"html", "one page with charts and a table, for a browser", &write_html, ".html", true},
    {"junit", "JUnit's XML, for Jenkins, GitLab and others", &write_junit, ".xml"},
    {"github", "annotations for a pull request's checks", &write_github},
    {"json", "one array of Trace objects", &write_json, ".json", true},
    {"google-benchmark", "Google Benchmark's JSON, for its compare.py", &write_google_benchmark, "",
     true},
    {"bencher", "Bencher Metric Format, for bencher.dev", &write_bencher},
    {"github-action-benchmark", "what the tool customSmallerIsBetter of that action reads",
     &write_github_action_benchmark},
    {"agent", "a line a solution: how many passed, the first failure, what is next", &write_agent},
    {"jsonl", "one Trace object a line, as in traces/", &write_jsonl, ".jsonl", true},
};

}  // namespace

std::span<const Format> formats() { return report_formats; }

const Format* find_format(std::string_view name) {
  for (const Format& format : report_formats)
    if (format.name == name) return &format;
  return nullptr;
}

const Format& format_of_file(std::string_view file) {
  for (const Format& format : report_formats)
    if (!format.ending.empty() && file.ends_with(format.ending)) return format;
  return report_formats[0];
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : report_formats) names.emplace_back(format.name);
  return names;
}

std::string write_json(std::span<const Trace> traces, const ReportOptions&) {
  std::string out;
  for (const Trace& trace : traces)
    out += (out.empty() ? "[\n" : ",\n") + to_json(trace, Dump::full);
  return out.empty() ? "[]\n" : out + "\n]\n";
}

std::string write_jsonl(std::span<const Trace> traces, const ReportOptions&) {
  std::string out;
  for (const Trace& trace : traces) out += to_json(trace, Dump::full) + "\n";
  return out;
}

}  // namespace kbench
