// Destinations of a command's product.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "report/format.hpp"
#include "schema/targets.hpp"

namespace kbench {

class CommandLine;

// Writes to the file, "" and "-" to stdout. Returns false where it cannot, which is reported.
bool write_output(const std::string& file, const std::string& text, Diagnostics& reports);
// Writes what `give` gives, a part at a time: however much there is, little of it is in memory.
bool write_output(const std::string& file, Diagnostics& reports,
                  const std::function<void(const TakeText& take)>& give);

// Prints a document in the format of that name, in the colours and the width of the terminal.
void print_document(const Document& document, std::string_view format);

// --format of a command whose documents have so much.
void declare_format(CommandLine line, std::string& format, Needs most = Needs::tables);

// Files that a command may write over.
struct WrittenOver {
  std::string_view mark;  // beginning of its own products; "": it knows none of them again
  bool is_forced = false;
  std::vector<std::filesystem::path> inputs = {};  // inputs, which it never writes over
};

// Throws as check_confined() does; the trace set around the file, read by then or not, is a root.
void check_named_output(const std::filesystem::path& file);
// Opens it anew, to be written as events come; no descriptor where it fails: errno says why. A hard
// link in its place is replaced, as write_file() does it: the other name may be somebody else's.
Fd open_named_output(const std::filesystem::path& file);

// Tells whether a product that takes long could be written there; reports a mistake of the option
// where not. Makes the folders that are missing. "": nowhere.
bool check_writable(const std::string& option, const std::string& file, Diagnostics& reports);

// Tells whether a product may go to the file: nothing is there, or what kbench has written. Any
// other file is reported.
bool may_write(const std::string& file, const WrittenOver& over, Diagnostics& reports);

// --rates of commands that print tables of records.
void declare_rates(CommandLine line, bool& rates);

// Needs of `--format github` beside the records.

// The files of the solutions of trace sets: a source that lies beside its JSON, with that text, has
// a file of its own. `targets` outlive it.
FileOf files_of_solutions(const std::vector<Target>& targets);

// Appends to the file that GitHub names in GITHUB_STEP_SUMMARY; does nothing outside of its checks.
void append_step_summary(const std::string& markdown);

}  // namespace kbench
