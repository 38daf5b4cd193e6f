#include "build/compile.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <regex>
#include <stdexcept>

#include "base/confined.hpp"
#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "base/work_folder.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

// Adds a part with its length, so that no two lists give the same text.
void add(std::string& text, std::string_view part) {
  text += fmt::format("{}:{};", part.size(), part);
}

// A truth is 1 or 0: the preprocessor of C has no other.
std::string macro_text(const ParameterValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  return parameter_text(value);
}

// Meaning of -march=native on this machine: another one may not run a library built so.
std::string native_processor() {
  const std::string cpuinfo = read_if_readable("/proc/cpuinfo");
  std::string text;
  for (const std::string_view line : split(cpuinfo, '\n')) {
    if (line.empty()) break;  // the first processor stands for all
    if (line.starts_with("model") || line.starts_with("flags")) text.append(line).push_back('\n');
  }
  return text;
}

}  // namespace

void write_sources(const Solution& solution, const std::filesystem::path& folder) {
  for (const SourceFile& source : solution.sources)
    write_file(folder / source.path, source.content);
}

std::string argument_of(const SourceFile& source) {
  const bool is_plain =
      !source.path.empty() && (std::isalnum(static_cast<unsigned char>(source.path.front())) != 0 ||
                               source.path.front() == '.');
  return is_plain ? source.path : "./" + source.path;
}

void add_arguments(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<std::string> solution_flags(const Solution& solution) {
  const BuildSpec& spec = solution.spec;
  std::vector<std::string> flags = spec.compile_flags.value_or(std::vector<std::string>{});
  if (!spec.configuration) return flags;
  for (const auto& [name, value] : spec.configuration->define)
    flags.push_back(fmt::format("-D{}={}", name, macro_text(value)));
  return flags;
}

std::string build_key(const Solution& solution, const Toolchain& toolchain,
                      const std::filesystem::path& compiler,
                      const std::vector<std::string>& command) {
  std::string text;
  add(text, "kbench build 5");
  // A library built where every file could be read is not given out where none can.
  add(text, toolchain.isolation == Isolation::limits ? "free" : "held");
  for (const std::string& argument : command) {
    add(text, argument);
    if (argument.ends_with("=native")) add(text, native_processor());
  }
  add(text, content_identity(compiler));
  for (const std::filesystem::path& folder : toolchain.include_dirs) {
    add(text, content_identity(folder / "kbench_ffi.h"));
    add(text, content_identity(folder / "tvm" / "ffi" / "c_api.h"));
  }
  for (const SourceFile& source : solution.sources) {
    add(text, source.path);
    add(text, source.content);
  }
  return sha256_hex(text);
}

std::filesystem::path build_folder(const Toolchain& toolchain, const std::string& key) {
  return toolchain.libraries / key.substr(0, 32);
}

namespace {

namespace fs = std::filesystem;
constexpr std::size_t log_bytes = 1 << 20;
constexpr std::size_t output_bytes = 256 << 20;  // limit for disassemblers
constexpr std::uint64_t build_tasks = 1024;      // processes and threads of one compilation
constexpr const char* library_name = "solution.so";
constexpr const char* log_name = "log";  // a file beside the library

std::vector<std::string> environment(const fs::path& folder) {
  return {"PATH=" + search_path(), "LC_ALL=C.UTF-8", fmt::format("TMPDIR={}", folder.string()),
          "HOME=/nonexistent"};
}

bool says(std::string_view line, std::string_view words) { return line.find(words) != line.npos; }

// "collect2: error: ld returned 1 exit status" and clang's say that the linker failed, not why.
bool is_of_the_driver(std::string_view line) {
  return line.starts_with("collect2: ") || says(line, "error: linker command failed");
}

// Returns the first line that gives a reason, else the last before the driver's.
std::string_view first_reason(std::string_view output) {
  constexpr std::array<std::string_view, 5> reasons = {
      "error: ", "ptxas error ", "undefined reference", "multiple definition", "ld: cannot find"};
  std::string_view before;
  for (const std::string_view line : split(output, '\n')) {
    if (is_of_the_driver(line)) return before.empty() ? line : before;
    if (std::any_of(reasons.begin(), reasons.end(), [&](auto words) { return says(line, words); }))
      return line;
    if (!trim(line).empty()) before = line;
  }
  return {};
}

// A linker's line without its program, the folders of this build, its objects and their sections.
std::string without_paths(std::string_view line, const fs::path& folder) {
  std::string text(trim(line));
  for (const std::string& path : {(folder / "src").string() + "/", folder.string() + "/"}) {
    for (std::size_t at = text.find(path); at != text.npos; at = text.find(path))
      text.erase(at, path.size());
  }
  text = std::regex_replace(text, std::regex("^[^ ]*ld(\\.[a-z]+)?: "), "");
  text = std::regex_replace(text, std::regex("\\bcc\\w{6}(\\.ltrans\\d*)*\\.o: ?"), "");
  return std::regex_replace(text, std::regex(":\\(\\.[^)]*\\):"), ":");
}

// Returns the error that stands in the table; the log has all of it.
std::string first_error(const RunResult& run, const fs::path& folder) {
  const std::string_view reason = first_reason(run.output);
  if (reason.empty()) return "the compiler " + describe(run.status);
  return without_paths(reason, folder);
}

// Shows the compiler what it needs: the system's programs, its own folders where it is none of
// these, the headers and libraries of kbench. It writes to the build's folder alone.
FileView visible_to(const Compilation& compilation, const fs::path& folder) {
  FileView files;
  files.readable = system_programs();
  const auto show = [&files](const fs::path& path) {
    if (!path.empty()) files.readable.push_back(path);
  };
  for (const fs::path& program :
       {compilation.compiler, fs::weakly_canonical(compilation.compiler)}) {
    show(program);
    const fs::path prefix = program.parent_path().parent_path();
    for (const char* part : {"lib", "lib64", "libexec", "include"}) show(prefix / part);
  }
  for (const fs::path& path : compilation.readable) show(path);
  files.writable = {folder};
  return files;
}

ProcessPlan plan_for(std::vector<std::string> argv, const Toolchain& toolchain,
                     const Compilation& compilation, const fs::path& folder) {
  ProcessPlan plan;
  plan.argv = std::move(argv);
  plan.environment = environment(folder);
  plan.directory = folder / "src";
  plan.limits.file_bytes = std::uint64_t{1} << 30;
  // A source that includes /dev/zero must not end other programs.
  plan.limits.memory_bytes = total_memory() / 2;
  plan.isolation = toolchain.isolation;
  plan.files = visible_to(compilation, folder);
  if (toolchain.isolation != Isolation::limits)
    plan.group = take_cgroup({plan.limits.memory_bytes, build_tasks});
  return plan;
}

RunResult run_compiler(std::vector<std::string> argv, const Toolchain& toolchain,
                       const Compilation& compilation, const fs::path& folder, std::size_t keep) {
  const auto limit = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(toolchain.timeout_seconds));
  return run_process(plan_for(std::move(argv), toolchain, compilation, folder), limit, keep,
                     toolchain.stop);
}

// Moves the compiler's output out of the folder that it writes to: a regular file that has no other
// name, and no link to files that the judge may read and a candidate may not. False where there is
// none.
bool take_output(const fs::path& left, const fs::path& library) {
  const Fd fd = try_open_confined(left, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat found {};
  if (!fd || ::fstat(fd.get(), &found) != 0) return false;
  if (!S_ISREG(found.st_mode) || found.st_nlink != 1) return false;
  fs::rename(left, library);
  return true;
}

// Compiles to `folder`/solution.so; result.built says whether it is there. The compiler writes to a
// folder below, which is gone afterwards: nothing that it leaves there is in the judge's way.
BuildResult compile(const Solution& solution, const Toolchain& toolchain,
                    const Compilation& compilation, const fs::path& folder) {
  BuildResult result;
  result.library = folder / library_name;
  const fs::path work = folder / "work";
  write_sources(solution, work / "src");
  fs::create_directories(work / kept_folder);
  const RunResult run = run_compiler(compilation.command(solution, work / library_name), toolchain,
                                     compilation, work, log_bytes);
  result.log = run.output;
  if (run.timed_out) {
    result.cause = fmt::format("{}: the compiler took longer than {} s (--build-timeout)",
                               compilation.fault, toolchain.timeout_seconds);
  } else if (!run.status.exited || run.status.code != 0) {
    result.cause = fmt::format("{}: {}", compilation.fault, first_error(run, work));
  } else if (!take_output(work / library_name, result.library)) {
    result.cause = fmt::format("{}: the compiler wrote no library", compilation.fault);
  } else {
    result.built = true;
    if (compilation.report) result.report = compilation.report(work, result.log);
  }
  remove_tree(work);
  return result;
}

// Text that is kept with a library: its report, a line, and then the log.
std::string kept_text(const BuildResult& result) { return result.report + "\n" + result.log; }

void take_kept(const std::string& text, BuildResult& result) {
  const auto end = std::min(text.find('\n'), text.size());
  result.report = text.substr(0, end);
  result.log = text.substr(std::min(end + 1, text.size()));
}

// Takes the library of an earlier solution of this run with the same sources, or of an earlier run.
bool find_built(const Toolchain& toolchain, const std::string& key, const fs::path& folder,
                BuildResult& result) {
  result.library = folder / library_name;
  if (fs::exists(result.library)) {
    take_kept(read_file_if_there(folder / log_name).value_or(""), result);
  } else if (const auto entry = toolchain.cache->find(key)) {
    write_file(result.library, entry->body());
    write_file(folder / log_name, entry->text);
    take_kept(entry->text, result);
  } else {
    return false;
  }
  return result.built = result.from_cache = true;
}

}  // namespace

std::vector<fs::path> readable_by(const Toolchain& toolchain) {
  std::vector<fs::path> folders = toolchain.include_dirs;
  folders.insert(folders.end(), toolchain.torch_include_dirs.begin(),
                 toolchain.torch_include_dirs.end());
  folders.push_back(toolchain.tvm_ffi_lib);
  return folders;
}

void make_hosted(const Solution& solution, BuildResult& result) {
  result.hosted = result.library.filename().string() + "::" + entry_symbol(solution);
  result.library = result.library.parent_path();
}

bool has_extension(const std::string& path, std::span<const std::string_view> extensions) {
  const std::string own = fs::path(path).extension();
  return std::find(extensions.begin(), extensions.end(), own) != extensions.end();
}

std::string output_of(const std::vector<std::string>& argv, const Toolchain& toolchain,
                      const Compilation& compilation, const fs::path& folder) {
  RunResult run = run_compiler(argv, toolchain, compilation, folder, output_bytes);
  const bool is_whole = !run.timed_out && run.status.exited && run.status.code == 0 &&
                        run.output_bytes == run.output.size();
  return is_whole ? std::move(run.output) : "";
}

std::string defect_of(const Toolchain& toolchain, const Compilation& compilation,
                      const SourceFile& nothing) {
  Solution solution;
  solution.sources = {nothing};
  Toolchain plain = toolchain;
  plain.sanitizers = {};
  plain.timeout_seconds = 60;
  const WorkFolder folder(temporary_folder(), trial_prefix);
  const BuildResult result = compile(solution, plain, compilation, folder.path());
  if (result.built) return "";
  const std::string said = result.log.substr(0, result.log.find('\n'));
  return fmt::format("{} cannot compile a function that does nothing: {}{}{}",
                     compilation.compiler.string(), result.cause, said.empty() ? "" : ": ", said);
}

BuildResult build_library(const Solution& solution, const Toolchain& toolchain,
                          const Compilation& compilation, const SourceFile& nothing) {
  const std::string key = build_key(solution, toolchain, compilation.compiler,
                                    compilation.command(solution, "library"));
  const Fd lock = toolchain.cache->lock(key);
  const fs::path folder = build_folder(toolchain, key);
  BuildResult result;
  if (find_built(toolchain, key, folder, result)) return result;
  const bool has_source = std::any_of(
      solution.sources.begin(), solution.sources.end(),
      [&](const SourceFile& one) { return has_extension(one.path, compilation.extensions); });
  if (!has_source) {
    const std::vector<std::string> known(compilation.extensions.begin(),
                                         compilation.extensions.end());
    result.cause =
        fmt::format("no source with a {} extension ({})", compilation.language, join(known, " "));
    return result;
  }
  result = compile(solution, toolchain, compilation, folder);
  if (result.built) {
    write_file(folder / log_name, kept_text(result));
    toolchain.cache->insert(key, kept_text(result), read_file(result.library));
    return result;
  }
  remove_tree(folder);
  const std::string defect = defect_of(toolchain, compilation, nothing);
  if (!defect.empty()) throw std::runtime_error(defect);
  return result;
}

}  // namespace kbench
