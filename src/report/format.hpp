// Findings of a command → bytes. A new format is a file, and its declaration and row in format.cpp.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "report/grid.hpp"
#include "schema/trace.hpp"

namespace kbench {

enum class JUnitOutcome { passed, failure, error, skipped };

struct JUnitCase {
  std::string suite;  // a definition
  std::string name;
  double seconds = 0;
  JUnitOutcome outcome = JUnitOutcome::passed;
  std::string type = {};       // kind of a failure or an error
  std::string message = {};    // its first line is shown beside the case
  std::string output = {};     // printed text
  std::string timestamp = {};  // ISO 8601
};

struct GithubAnnotation {
  std::string level = "error";  // "error", "warning" or "notice"
  std::string title;
  std::string message;
  std::string file = {};  // relative to the repository's root; "": none
  int line = 0;           // 0: the whole file
  int column = 0;
};

// Findings of a command: every format takes of it what it has a place for.
struct Document {
  std::optional<std::span<const Trace>> traces = {};  // records, of which formats make the rest
  std::vector<Grid> grids = {};
  std::string head = {}, notes = {};       // lines for people, above and below the tables
  std::function<std::string()> json = {};  // text for programs; absent: the rows of the tables
  std::vector<Diagnostic> problems = {};   // a terminal has them already
  // Findings beside those that traces and problems are.
  std::vector<JUnitCase> cases = {};
  std::vector<GithubAnnotation> annotations = {};
};

// Place of a solution's source, as a path from the working folder; the source "" is its JSON file.
// Returns "" where it has no file of its own, or nobody knows.
using FileOf = std::function<std::string(std::string_view solution, std::string_view source)>;

// The command that judges one record again.
using AgainOf = std::function<std::string(const Trace&)>;

// Words of the command line, each after a space, that say of which records a report is.
struct MadeFrom {
  std::string places;       // " results --root set"
  std::string definitions;  // " -d rmsnorm_h128"
  std::string choice;       // all else: " --all -s mine"
  std::size_t older = 0;    // records that are left out, since newer ones stand for them
  std::size_t older_failed = 0;
};

struct ReportOptions {
  bool colour = false;
  int width = 0;        // columns of the terminal; 0: there is none, lines may have any length
  FileOf file_of = {};  // used by annotations
  AgainOf again = {};   // absent where nobody knows
  MadeFrom from = {};   // used by commands that make it again
  bool rates = false;   // tables for people have GFLOP/s and GB/s, too
};

// Material of a format: each command has tables, some have findings too, or records.
enum class Needs { tables, findings, traces };

struct Format {
  std::string_view name;
  std::string_view doc;
  std::string (*write)(const Document& document, const ReportOptions& options);
  Needs needs = Needs::traces;
  std::string_view ending = "";  // default ending of files of this format
  bool is_for_people = false;
  bool shows_samples = false;  // shows samples of times
};

std::span<const Format> formats();
const Format* find_format(std::string_view name);
// The format of a file by the end of its name, the table for all other names.
const Format& format_of_file(std::string_view file);
// Returns the names of the formats that need no more than that.
std::vector<std::string> format_names(Needs most = Needs::traces);

// Place of a problem: "d.json:3:5", "kbench" where it has none.
std::string place_text(const Diagnostic& problem);

std::string write_table(const Document& document, const ReportOptions& options);
std::string write_csv(const Document& document, const ReportOptions& options);
std::string write_markdown(const Document& document, const ReportOptions& options);
std::string write_html(const Document& document, const ReportOptions& options);
std::string write_junit(const Document& document, const ReportOptions& options);
std::string write_github(const Document& document, const ReportOptions& options);
std::string write_json(const Document& document, const ReportOptions& options);
std::string write_chart_page(std::span<const Trace> traces, const ReportOptions& options);

}  // namespace kbench
