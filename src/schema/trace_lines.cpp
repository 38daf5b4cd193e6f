// Lines of .jsonl files, as scan.hpp declares them.
#include "schema/trace_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/confined.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "schema/read.hpp"
#include "schema/record_signature.hpp"
#include "schema/scan.hpp"

namespace kbench {

namespace fs = std::filesystem;

WholeLines::WholeLines(const fs::path& file, std::uint64_t begin)
    : path_(file),
      fd_(open_confined(file, O_RDONLY | O_NONBLOCK)),
      bytes_(std::min<std::uintmax_t>(fs::file_size(file) + 1, 16 << 20)) {
  if (::lseek(fd_.get(), static_cast<off_t>(begin), SEEK_SET) < 0) fail_by_errno(file);
}

bool WholeLines::next(std::string& text) {
  text = std::exchange(rest_, {});
  while (!is_at_end_ && (text.size() < bytes_ || text.find('\n') == text.npos)) read(text);
  if (is_at_end_) return !text.empty();
  rest_ = text.substr(text.rfind('\n') + 1);
  text.resize(text.size() - rest_.size());
  return true;
}

void WholeLines::read(std::string& text) {
  std::size_t end = text.size();
  if (end > longest) errno = EFBIG, fail_by_errno(path_);
  text.resize(end + bytes_);
  while (end < text.size() && !is_at_end_) {
    const ssize_t count = ::read(fd_.get(), text.data() + end, text.size() - end);
    if (count < 0) fail_by_errno(path_);
    end += static_cast<std::size_t>(count);
    is_at_end_ = count == 0;
  }
  text.resize(end);
}

namespace {

constexpr int max_bad_lines = 20;             // limit of a file: more would say the same again
constexpr std::size_t lines_per_thread = 64;  // fewer are read before a thread has started

struct Line {
  std::string_view text;
  int number = 1;
};

// Splits a text into its lines, without blank ones.
std::vector<Line> lines_of(std::string_view text, int first = 1) {
  std::vector<Line> lines;
  for (int number = first; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!trim(line).empty()) lines.push_back({line, number});
  }
  return lines;
}

// A key that is given twice has different values for different programs, and a record is to say one
// thing to all of them.
bool says_two_things(const Diagnostics& found) {
  return std::any_of(found.items().begin(), found.items().end(), [](const Diagnostic& one) {
    return one.message.ends_with(json::last_one_counts);
  });
}

// Parses a line of a file as a source of its own, of one line.
json::Value parse(const Source& line, int number, json::Memory& memory, Diagnostics& found) {
  if (!check_line_is_text(line, number, found)) return {};
  return json::parse(line, 0, line.text.size(), memory, found);
}

// Reads the lines of a file. Problems are appended to `found` as if each line were a file.
class LineReader {
 public:
  LineReader(const Source& file, const ReadOptions& options) : file_(file), options_(options) {}

  std::optional<Trace> read(const Line& line, Diagnostics& found) const {
    thread_local Source source;  // reuses a line's memory for the next one
    source.path = file_.path;
    source.text = line.text;
    return read_trace_line(source, line.number, options_, found);
  }

  // Most lines have no diagnostics: those of the others are found once more, when their number is
  // known. A line with errors has the number 0.
  std::vector<TraceLine> read(const std::vector<Line>& lines, Diagnostics& out) const {
    std::vector<TraceLine> traces(lines.size());
    std::vector<std::uint8_t> has_problems(lines.size());
    in_parallel(lines.size(), {0, lines_per_thread}, [&](std::size_t i) {
      Diagnostics found;
      auto trace = read(lines[i], found);
      traces[i].line = trace ? lines[i].number : 0;
      if (trace) traces[i].trace = *std::move(trace);
      has_problems[i] = found.empty() ? 0 : 1;
    });
    std::vector<Line> bad;
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (has_problems[i] != 0) bad.push_back(lines[i]);
    report(bad, out);
    return traces;
  }

 private:
  // Tells whether it is the last one, whose writer was stopped in the middle.
  bool is_torn(const Line& line) const {
    if (line.text.end() != std::string_view(file_.text).end()) return false;
    json::Memory memory;
    Diagnostics found;
    parse({file_.path, std::string(line.text)}, line.number, memory, found);
    return found.errors() > 0;
  }

  void report(const std::vector<Line>& lines, Diagnostics& out) const {
    int bad = 0;
    for (const Line& line : lines) {
      if (is_torn(line)) {
        out.warning({file_.path, line.number, 1, "", std::string(line.text)},
                    "torn last line ignored",
                    "its writer was stopped in the middle; delete the line");
      } else if (++bad <= max_bad_lines) {
        Diagnostics found;
        read(line, found);
        append_at_line(out, found, line.number);
      }
    }
    if (bad > max_bad_lines)
      out.error({file_.path}, fmt::format("{} more lines have problems", bad - max_bad_lines));
  }

  const Source& file_;
  const ReadOptions& options_;
};

// Reads the lines of a part of a file that begins with the line `first`.
std::vector<TraceLine> read_lines(const Source& part, int first, const ReadOptions& options,
                                  int& bad_line, Diagnostics& problems) {
  const std::vector<Line> lines = lines_of(part.text, first);
  const LineReader reader(part, options);
  std::vector<TraceLine> traces = reader.read(lines, problems);
  const auto is_bad = [](const TraceLine& one) { return one.line == 0; };
  const auto bad = std::find_if(traces.begin(), traces.end(), is_bad);
  if (bad == traces.end()) return traces;
  if (bad_line == 0) bad_line = lines[static_cast<std::size_t>(bad - traces.begin())].number;
  traces.erase(std::remove_if(bad, traces.end(), is_bad), traces.end());
  return traces;
}

}  // namespace

std::optional<Trace> read_trace_line(const Source& source, int number, const ReadOptions& options,
                                     Diagnostics& problems) {
  std::array<std::byte, 32768> stack;
  json::Memory memory(stack.data(), stack.size());
  const json::Value value = parse(source, number, memory, problems);
  if (problems.errors() > 0) return std::nullopt;
  const bool is_ambiguous = says_two_things(problems);
  auto trace = read<Trace>(source, value, options, problems);
  if (!trace || !(trace->evaluation || trace->emulation || trace->solution)) return trace;
  const std::string_view flaw = is_ambiguous ? "a record has a key twice"
                                : trace->evaluation && trace->emulation
                                    ? "a record is of an evaluation or of an emulation, not of both"
                                    : "";
  if (!flaw.empty()) {
    problems.error(locate(source, 0), std::string(flaw));
    return std::nullopt;
  }
  note_seals(source.text, value, *trace);
  return trace;
}

bool check_line_is_text(const Source& line, int number, Diagnostics& problems) {
  if (number == 1 || !is_utf16(line.text)) return true;
  problems.error({line.path, 1, 1, "", ""}, "invalid UTF-8",
                 "the lines before are UTF-8, what wrote this one was not");
  return false;
}

void append_at_line(Diagnostics& problems, const Diagnostics& found, int line) {
  for (Diagnostic diagnostic : found.items()) {
    if (diagnostic.where.line > 0) diagnostic.where.line += line - 1;
    problems.add(std::move(diagnostic));
  }
}

bool check_lines_form(const Source& source, Diagnostics& problems) {
  if (!json::check_is_text(source, problems)) return false;
  const std::string_view text = trim(source.text);
  const std::size_t first_end = text.find('\n');
  if (first_end == std::string_view::npos || trim(text.substr(0, first_end)).ends_with('}'))
    return true;
  json::Memory memory;
  Diagnostics found;
  json::parse(source, 0, source.text.size(), memory, found);
  if (found.errors() > 0) return true;
  problems.error(locate(source, 0), "one JSON value over several lines",
                 "a .jsonl file has one record a line; jq -c . FILE writes it so");
  return false;
}

std::vector<TraceLine> read_trace_lines(const Source& source, const ReadOptions& options,
                                        int& bad_line, Diagnostics& problems) {
  if (!check_lines_form(source, problems)) {
    bad_line = 1;
    return {};
  }
  return read_lines(source, 1, options, bad_line, problems);
}

int read_trace_file(const fs::path& file, Diagnostics& problems,
                    const std::function<void(TraceLine&& line)>& take) try {
  int bad_line = 0, first = 1;
  if (!fs::is_regular_file(file)) {  // a pipe that nobody writes to would block for ever
    for (TraceLine& line :
         read_trace_lines({file.string(), read_file(file)}, {}, bad_line, problems))
      take(std::move(line));
    return bad_line;
  }
  Source part{file.string(), ""};
  bool is_good = true;
  for (WholeLines lines(file); is_good && lines.next(part.text);) {
    if (first == 1) is_good = check_lines_form(part, problems);
    if (!is_good) return 1;
    for (TraceLine& line : read_lines(part, first, {}, bad_line, problems)) take(std::move(line));
    first += static_cast<int>(std::count(part.text.begin(), part.text.end(), '\n'));
  }
  return bad_line;
} catch (const std::system_error& error) {
  problems.error({file.string()}, fmt::format("cannot be read: {}", error.code().message()));
  return 1;
}

}  // namespace kbench
