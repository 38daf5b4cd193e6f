// Traces → bytes, one format a file. To add one: its file, its declaration here, its row in
// format.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/trace.hpp"

namespace kbench {

// Where a source of a solution lies, as a path from the working folder; of the source "" its JSON
// file. "" where it has no file of its own, or nobody knows.
using FileOf = std::function<std::string(std::string_view solution, std::string_view source)>;

// The command that judges one record again.
using AgainOf = std::function<std::string(const Trace&)>;

// Words of the command line, each after a space, that say of which records a report is.
struct MadeFrom {
  std::string places;       // " results --root set"
  std::string definitions;  // " -d rmsnorm_h128"
  std::string choice;       // what else: " --all -s mine"
  std::size_t older = 0;    // records that are left out, since newer ones stand for them
  std::size_t older_failed = 0;
};

struct ReportOptions {
  bool colour = false;
  int width = 0;        // of the terminal; 0: there is none, lines may have any length
  FileOf file_of = {};  // for annotations
  AgainOf again = {};   // none: nobody knows
  MadeFrom from = {};   // for commands that make it again
  bool rates = false;   // tables for people have GFLOP/s and GB/s, too
};

struct Format {
  std::string_view name;
  std::string_view doc;
  std::string (*write)(std::span<const Trace> traces, const ReportOptions& options);
  std::string_view ending = "";  // of files that are of this format where none is asked for
  bool shows_samples = false;    // of times
};

std::span<const Format> formats();
const Format* find_format(std::string_view name);
// The format of a file by the end of its name, the table for all other names.
const Format& format_of_file(std::string_view file);
std::vector<std::string> format_names();

std::string write_table(std::span<const Trace> traces, const ReportOptions& options);
std::string write_csv(std::span<const Trace> traces, const ReportOptions& options);
std::string write_markdown(std::span<const Trace> traces, const ReportOptions& options);
std::string write_html(std::span<const Trace> traces, const ReportOptions& options);
std::string write_junit(std::span<const Trace> traces, const ReportOptions& options);
std::string write_github(std::span<const Trace> traces, const ReportOptions& options);
std::string write_json(std::span<const Trace> traces, const ReportOptions& options);
std::string write_google_benchmark(std::span<const Trace> traces, const ReportOptions& options);
std::string write_bencher(std::span<const Trace> traces, const ReportOptions& options);
std::string write_github_action_benchmark(std::span<const Trace> traces,
                                          const ReportOptions& options);
std::string write_agent(std::span<const Trace> traces, const ReportOptions& options);
std::string write_jsonl(std::span<const Trace> traces, const ReportOptions& options);

}  // namespace kbench
