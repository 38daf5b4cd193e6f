#include "report/github.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

#include "base/text.hpp"
#include "report/wording.hpp"

namespace kbench {
namespace {

constexpr std::size_t largest_summary = 1'000'000;  // limit below GitHub's 1 MiB

// Escapes a text for a workflow command, and leaves no control characters of a terminal.
std::string escaped(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ',')))
      out += fmt::format("%{:02X}", static_cast<unsigned>(c));
    else
      out += printable({&c, 1});
  }
  return out;
}

bool has_failed(const Trace& trace) { return trace.evaluation && !has_passed(trace); }

struct CompilerError {
  std::string source;
  int line = 0;
  int column = 0;
  std::string message;
};

// "kernel.cpp:3:10: error: …" or "kernel.cu(3): error: …". Any other line gives nothing.
std::optional<CompilerError> compiler_error(std::string_view line) {
  for (const std::string_view kind : {"fatal error: ", "error: "}) {
    const auto at = line.find(kind);
    if (at == line.npos) continue;
    CompilerError error;
    error.message = line.substr(at + kind.size());
    const std::string_view place = line.substr(0, at);
    const auto digits = place.find_first_of(":(");
    if (digits == place.npos || digits == 0) return std::nullopt;
    error.source = place.substr(0, digits);
    const char* const end = place.data() + place.size();
    const auto number = std::from_chars(place.data() + digits + 1, end, error.line);
    if (number.ec != std::errc()) return std::nullopt;
    if (number.ptr != end && *number.ptr == ':') std::from_chars(number.ptr + 1, end, error.column);
    return error;
  }
  return std::nullopt;
}

// First error of its compiler; nothing where it named none.
std::optional<CompilerError> compiler_error_of(const Trace& trace) {
  if (trace.evaluation->status != Status::compile_error) return std::nullopt;
  std::string_view log = trace.evaluation->log;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    if (auto error = compiler_error(line)) return error;
    log.remove_prefix(std::min(log.size(), line.size() + 1));
  }
  return std::nullopt;
}

GithubAnnotation annotation_of(const Trace& trace, const FileOf& file_of) {
  const std::string& solution = *trace.solution;
  const auto& details = trace.evaluation->kbench;
  GithubAnnotation out;
  out.title = fmt::format("{}: {}", status_text(*trace.evaluation), solution);
  out.message = first_line(details ? details->cause.value_or("") : "");
  const auto file = [&](std::string_view source) {
    return file_of ? file_of(solution, source) : std::string();
  };
  out.file = file("");
  if (details && details->kernel) {
    if (out.file.empty()) out.file = details->kernel->file;
    out.line = static_cast<int>(details->kernel->line);
  }
  const auto error = compiler_error_of(trace);
  if (!error) return out;
  out.message = error->message;
  const std::string source = file(error->source);
  if (source.empty()) {  // the source is in the JSON
    const std::string column = error->column > 0 ? fmt::format(":{}", error->column) : "";
    out.message = fmt::format("{}:{}{}: {}", error->source, error->line, column, error->message);
  } else {
    out.file = source;
    out.line = error->line;
    out.column = error->column;
  }
  return out;
}

std::string summary_of(const std::string& title, const std::string& first,
                       const std::string& rest) {
  std::string out = fmt::format("## {}\n\n{}", title, first);
  const std::string folded =
      rest.empty()
          ? ""
          : fmt::format("\n<details><summary>All results</summary>\n\n{}\n</details>\n", rest);
  if (out.size() + folded.size() <= largest_summary) return out + folded;
  if (out.size() > largest_summary) {
    out.resize(out.rfind('\n', largest_summary) + 1);
    out += "\nThe rest is cut off: a summary may have 1 MiB.\n";
  }
  return out;
}

// Writes a workflow command, with a line break at its end ("Workflow commands for GitHub Actions").
std::string command_of(const GithubAnnotation& annotation) {
  std::string out = fmt::format("::{} title={}", annotation.level, escaped(annotation.title, true));
  if (!annotation.file.empty()) out += ",file=" + escaped(annotation.file, true);
  if (annotation.line > 0) out += fmt::format(",line={}", annotation.line);
  if (annotation.column > 0) out += fmt::format(",col={}", annotation.column);
  return out + "::" + escaped(annotation.message, false) + "\n";
}

GithubAnnotation annotation_of(const Diagnostic& problem) {
  GithubAnnotation out;
  out.level = problem.level == Level::error ? "error" : "warning";
  out.title = "kbench";
  out.message = problem.message + (problem.hint.empty() ? "" : "; " + problem.hint);
  out.file = problem.where.file;
  out.line = problem.where.line;
  out.column = problem.where.line > 0 ? problem.where.column : 0;
  return out;
}

}  // namespace

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<GithubAnnotation> github_annotations(std::span<const Trace> traces,
                                                 const FileOf& file_of) {
  std::vector<GithubAnnotation> annotations;
  std::vector<std::vector<const Workload*>> workloads;
  std::map<std::tuple<std::string, std::string, std::string, int>, std::size_t> places;
  for (const Trace& trace : traces) {
    if (!has_failed(trace) || is_skipped(trace)) continue;  // another record has its failure
    GithubAnnotation one = annotation_of(trace, file_of);
    const auto [place, is_new] = places.try_emplace(
        {one.title, trace.definition + "\n" + one.message, one.file, one.line}, annotations.size());
    if (!is_new) {
      workloads[place->second].push_back(&trace.workload);
      continue;
    }
    one.message = trace.definition + (one.message.empty() ? "" : ": " + one.message);
    annotations.push_back(std::move(one));
    workloads.push_back({&trace.workload});
  }
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const std::size_t count = workloads[i].size();
    annotations[i].message += fmt::format(
        " ({})", count == 1 ? workload_text(*workloads[i][0]) : counted(count, "workload"));
  }
  return annotations;
}

std::string github_summary(std::span<const Trace> traces) {
  std::vector<Trace> failed;
  std::copy_if(traces.begin(), traces.end(), std::back_inserter(failed), &has_failed);
  const std::string title =
      failed.empty() ? fmt::format("kbench: all {} passed", traces.size())
                     : fmt::format("kbench: {} of {} failed", failed.size(), traces.size());
  return summary_of(title, write_markdown({.traces = failed}, {}),
                    write_markdown({.traces = traces}, {}));
}

std::string github_summary(const GateReport& report) {
  const std::string first = write_markdown(gate_document(report, false), {});
  const std::string all = write_markdown(gate_document(report, true), {});
  return summary_of("kbench gate", first, all == first ? "" : all);
}

std::string write_github(const Document& document, const ReportOptions& options) {
  std::string out;
  for (const Diagnostic& problem : document.problems) out += command_of(annotation_of(problem));
  const auto traces = document.traces.value_or(std::span<const Trace>());
  for (const auto& all : {github_annotations(traces, options.file_of), document.annotations})
    for (const GithubAnnotation& one : all) out += command_of(one);
  return out;
}

}  // namespace kbench
