#include "report/format.hpp"

#include <fmt/format.h>

#include "schema/to_json.hpp"

namespace kbench {

// Writers that this table alone calls.
std::string write_google_benchmark(std::span<const Trace> traces, const ReportOptions& options);
std::string write_bencher(std::span<const Trace> traces, const ReportOptions& options);
std::string write_github_action_benchmark(std::span<const Trace> traces,
                                          const ReportOptions& options);
std::string write_agent(std::span<const Trace> traces, const ReportOptions& options);
std::string write_jsonl(std::span<const Trace> traces, const ReportOptions& options);

namespace {

using WriteTraces = std::string (*)(std::span<const Trace> traces, const ReportOptions& options);

// Writes what needs nothing but records.
template <WriteTraces write>
std::string write_records(const Document& document, const ReportOptions& options) {
  return write(*document.traces, options);
}

constexpr Format report_formats[] = {
    {"table", "aligned columns for people", &write_table, Needs::tables, "", true},
    {"csv", "one row a trace, RFC 4180", &write_csv, Needs::tables, ".csv"},
    {"markdown", "GitHub's tables, one a definition", &write_markdown, Needs::tables, ".md", true},
    {"html", "one page with charts and a table, for a browser", &write_html, Needs::tables, ".html",
     false, true},
    {"junit", "JUnit's XML, for Jenkins, GitLab and others", &write_junit, Needs::findings, ".xml"},
    {"github", "annotations for a pull request's checks", &write_github, Needs::findings},
    {"json", "one array of Trace objects", &write_json, Needs::tables, ".json", false, true},
    {"google-benchmark", "Google Benchmark's JSON, for its compare.py",
     &write_records<&write_google_benchmark>, Needs::traces, "", false, true},
    {"bencher", "Bencher Metric Format, for bencher.dev", &write_records<&write_bencher>},
    {"github-action-benchmark", "what the tool customSmallerIsBetter of that action reads",
     &write_records<&write_github_action_benchmark>},
    {"agent", "a line a solution: how many passed, the first failure, what is next",
     &write_records<&write_agent>},
    {"jsonl", "one Trace object a line, as in traces/", &write_records<&write_jsonl>, Needs::traces,
     ".jsonl", false, true},
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

std::vector<std::string> format_names(Needs most) {
  std::vector<std::string> names;
  for (const Format& format : report_formats)
    if (format.needs <= most) names.emplace_back(format.name);
  return names;
}

std::string place_text(const Diagnostic& problem) {
  const Where& where = problem.where;
  if (where.file.empty()) return "kbench";
  return where.line > 0 ? fmt::format("{}:{}:{}", where.file, where.line, where.column)
                        : where.file;
}

std::string write_jsonl(std::span<const Trace> traces, const ReportOptions&) {
  std::string out;
  for (const Trace& trace : traces) out += to_json(trace, Dump::full) + "\n";
  return out;
}

}  // namespace kbench
