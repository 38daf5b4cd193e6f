#include "cli/shell/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/confined.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"

namespace kbench {

bool write_output(const std::string& file, const std::string& text, Diagnostics& reports) {
  return write_output(file, reports, [&text](const TakeText& take) { take(text); });
}

bool write_output(const std::string& file, Diagnostics& reports,
                  const std::function<void(const TakeText& take)>& give) {
  constexpr std::size_t at_once = std::size_t{1} << 20;  // bytes
  std::string waiting;
  const auto in_large_parts = [&](const TakeText& take) {
    give([&](std::string_view part) {
      waiting += part;
      if (waiting.size() > at_once) take(std::exchange(waiting, {}));
    });
    take(waiting);
  };
  try {
    if (file.empty() || file == "-")
      in_large_parts(&print);
    else
      write_file(file, in_large_parts);
    return true;
  } catch (const std::system_error& error) {
    reports.error({file}, fmt::format("cannot be written: {}", error.code().message()));
    return false;
  }
}

void print_document(const Document& document, std::string_view format) {
  print(find_format(format)->write(document, {terminal().colour_out, terminal().width}));
}

void declare_format(CommandLine line, std::string& format, Needs most) {
  const std::vector<std::string> names = format_names(most);
  line.add_option("--format FORMAT", format, join(names, ", ")).one_of(names);
}

void check_named_output(const std::filesystem::path& file) {
  enclosing_root(file);
  check_confined(file);
}

Fd open_named_output(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  check_named_output(file);
  std::error_code error;
  const bool is_file = fs::is_regular_file(fs::symlink_status(file, error));
  if (is_file && fs::hard_link_count(file, error) > 1) fs::remove(file);
  return Fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
}

namespace {

// Opens a file as write_file() does, and removes it again.
void probe(const std::filesystem::path& given) {
  namespace fs = std::filesystem;
  const auto fail = [](int error) { throw std::system_error(error, std::generic_category()); };
  check_named_output(given);
  const fs::path path = fs::is_symlink(given) && fs::exists(given) ? fs::canonical(given) : given;
  if (fs::is_directory(path)) fail(EISDIR);
  if (fs::exists(path) && !fs::is_regular_file(path)) {
    if (::access(path.c_str(), W_OK) != 0) fail(errno);
    return;
  }
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  const fs::path beside = fmt::format("{}.tmp{}", path.string(), ::getpid());
  const Fd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd) fail(errno);
  fs::remove(beside);
}

}  // namespace

bool check_writable(const std::string& option, const std::string& file, Diagnostics& reports) {
  if (file.empty()) return true;
  try {
    probe(file);
    return true;
  } catch (const std::system_error& error) {
    reports.error({file}, fmt::format("{}: cannot be written: {}", option, error.code().message()));
    return false;
  }
}

namespace {

bool is_same(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

}  // namespace

bool may_write(const std::string& file, const WrittenOver& over, Diagnostics& reports) {
  if (file.empty() || file == "-") return true;
  const Where where{file};
  const auto input = std::find_if(over.inputs.begin(), over.inputs.end(),
                                  [&](const auto& one) { return is_same(one, file); });
  if (input != over.inputs.end()) {
    reports.error(where, "is what this command reads", "name another file");
    return false;
  }
  std::error_code error;  // a file that cannot be looked at cannot be written either
  if (over.is_forced || !std::filesystem::is_regular_file(file, error)) return true;
  const std::string text = over.mark.empty() ? "" : read_if_readable(file);
  if (!over.mark.empty() && text.starts_with(over.mark)) return true;
  reports.error(where,
                over.mark.empty() ? "is there already"
                                  : "is there already, and was not written by this command",
                "name another file, or write over it with --force");
  return false;
}

void declare_rates(CommandLine line, bool& rates) {
  line.add_flag(
      "--rates", rates,
      "Tables show GFLOP/s and GB/s: what the reference computes, and the bytes a call must "
      "move, by the time of the call");
}

namespace {

namespace fs = std::filesystem;

const Stored<Solution>* find_solution(const std::vector<Target>& targets, std::string_view name) {
  for (const Target& target : targets) {
    for (const auto& stored : target.set.solutions)
      if (stored.record.name == name) return &stored;
  }
  return nullptr;
}

bool holds(const fs::path& file, const std::string& text) {
  std::error_code error;
  return fs::is_regular_file(file, error) && read_file(file) == text;
}

}  // namespace

FileOf files_of_solutions(const std::vector<Target>& targets) {
  return [&targets](std::string_view solution, std::string_view source) -> std::string {
    const Stored<Solution>* stored = find_solution(targets, solution);
    if (stored == nullptr || source.empty()) return stored == nullptr ? "" : stored->path;
    for (const SourceFile& one : stored->record.sources) {
      const fs::path file = fs::path(stored->path).parent_path() / one.path;
      if (one.path == source && holds(file, one.content)) return file.lexically_normal().string();
    }
    return "";
  };
}

void append_step_summary(const std::string& markdown) {
  const std::string file = variable("GITHUB_STEP_SUMMARY");
  if (file.empty()) return;
  std::ofstream out(file, std::ios::app);
  out << markdown << std::flush;
  if (!out) tell("warning: " + file + ": the step's summary cannot be written\n");
}

}  // namespace kbench
