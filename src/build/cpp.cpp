#include "build/cpp.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <regex>
#include <stdexcept>

#include "base/file.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "base/work_folder.hpp"
#include "build/sources.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t log_bytes = 1 << 20;
constexpr std::uint64_t build_tasks = 1024;  // processes and threads of one compilation

bool is_source(const std::string& path) {
  const std::string extension = fs::path(path).extension();
  constexpr std::array<std::string_view, 4> extensions = {".cpp", ".cc", ".cxx", ".c"};
  for (const std::string_view e : extensions) {
    if (extension == e) return true;
  }
  return false;
}

std::vector<std::string> environment(const fs::path& folder) {
  return {"PATH=" + search_path(), "LC_ALL=C.UTF-8", fmt::format("TMPDIR={}", folder.string()),
          "HOME=/nonexistent"};
}

bool says(std::string_view line, std::string_view words) { return line.find(words) != line.npos; }

// "collect2: error: ld returned 1 exit status" and clang's: that the linker failed, not why.
bool is_of_the_driver(std::string_view line) {
  return line.starts_with("collect2: ") || says(line, "error: linker command failed");
}

// The first line that says why, else the last before the driver's.
std::string_view first_reason(std::string_view output) {
  constexpr std::array<std::string_view, 4> reasons = {"error: ", "undefined reference",
                                                       "multiple definition", "ld: cannot find"};
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

// What stands in the table; the log has all of it.
std::string first_error(const RunResult& run, const fs::path& folder) {
  const std::string_view reason = first_reason(run.output);
  if (reason.empty()) return "the compiler " + describe(run.status);
  return without_paths(reason, folder);
}

}  // namespace

std::string cpp_unavailable(const Toolchain& toolchain) {
  if (!toolchain.compiler.empty()) return sanitizers_unavailable(toolchain);
  if (toolchain.chosen_compiler.empty()) return "no C++ compiler found: install g++ or set CXX";
  return fmt::format(
      "CXX is \"{}\", and there is no program of that name (flags do not belong there)",
      toolchain.chosen_compiler);
}

namespace {

bool has_torch_binding(const Solution& solution) { return solution.spec.binding == Binding::torch; }

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// kbench's own. With binding torch an extension module of Python: what that is linked to is there
// already in the process that imports it.
std::vector<std::string> own_flags(const Solution& solution) {
  std::vector<std::string> flags = {"-fPIC", "-O2", "-shared", "-fdiagnostics-color=never"};
  if (has_torch_binding(solution)) {
    append(flags,
           {"-std=c++20", "-DTORCH_EXTENSION_NAME=solution", "-DTORCH_API_INCLUDE_EXTENSION_H"});
  } else {
    flags.emplace_back("-std=c++17");
  }
  return flags;
}

std::vector<std::string> include_flags(const Solution& solution, const Toolchain& toolchain) {
  const bool is_torch = has_torch_binding(solution);
  std::vector<std::string> flags;
  for (const fs::path& folder : is_torch ? toolchain.torch_include_dirs : toolchain.include_dirs)
    flags.push_back((is_torch ? "-isystem" : "-I") + folder.string());
  return flags;
}

}  // namespace

std::vector<std::string> build_flags(const Solution& solution, const Sanitizers& sanitizers) {
  if (solution.spec.language != Language::cpp) return {};
  std::vector<std::string> flags = own_flags(solution);
  append(flags, solution.spec.compile_flags.value_or(std::vector<std::string>{}));
  append(flags, solution.spec.link_flags.value_or(std::vector<std::string>{}));
  append(flags, sanitizer_flags(sanitizers));
  return flags;
}

std::vector<std::string> cpp_command(const Solution& solution, const Toolchain& toolchain,
                                     const fs::path& library) {
  const bool is_torch = has_torch_binding(solution);
  std::vector<std::string> command = {toolchain.compiler.string()};
  append(command, own_flags(solution));
  append(command, include_flags(solution, toolchain));
  command.push_back("-I.");
  append(command, solution.spec.compile_flags.value_or(std::vector<std::string>{}));
  for (const SourceFile& source : solution.sources) {
    if (is_source(source.path)) command.push_back(source.path);
  }
  append(command, {"-o", library.string()});
  if (!is_torch && !toolchain.tvm_ffi_lib.empty()) {
    // Solutions that use the small header alone do not need it.
    const std::string folder = toolchain.tvm_ffi_lib.string();
    append(command, {"-Wl,--as-needed", "-L" + folder, "-ltvm_ffi", "-Wl,-rpath," + folder});
  }
  append(command, solution.spec.link_flags.value_or(std::vector<std::string>{}));
  append(command, sanitizer_flags(toolchain.sanitizers));
  return command;
}

namespace {

// What the compiler needs: the system's programs, its own folders where it is none of these, the
// headers and libraries of kbench. It writes to the build's folder alone.
FileView visible_to_compiler(const Toolchain& toolchain, const fs::path& folder) {
  FileView files;
  files.readable = system_programs();
  const auto show = [&files](const fs::path& path) {
    if (!path.empty()) files.readable.push_back(path);
  };
  for (const fs::path& program : {toolchain.compiler, fs::weakly_canonical(toolchain.compiler)}) {
    show(program);
    const fs::path prefix = program.parent_path().parent_path();
    for (const char* part : {"lib", "lib64", "libexec", "include"}) show(prefix / part);
  }
  for (const fs::path& path : toolchain.include_dirs) show(path);
  for (const fs::path& path : toolchain.torch_include_dirs) show(path);
  show(toolchain.tvm_ffi_lib);
  files.writable = {folder};
  return files;
}

// Compiles to `folder`/solution.so; result.built says whether it did.
BuildResult try_to_compile(const Solution& solution, const Toolchain& toolchain,
                           const fs::path& folder) {
  BuildResult result;
  result.library = folder / "solution.so";
  write_sources(solution, folder / "src");
  ProcessPlan plan;
  plan.argv = cpp_command(solution, toolchain, result.library);
  // Reports name sources as the solution does.
  if (toolchain.sanitizers.any())
    plan.argv.push_back(fmt::format("-ffile-prefix-map={}=.", (folder / "src").string()));
  plan.environment = environment(folder);
  plan.directory = folder / "src";
  plan.limits.file_bytes = std::uint64_t{1} << 30;
  plan.isolation = toolchain.isolation;
  plan.files = visible_to_compiler(toolchain, folder);
  if (toolchain.isolation != Isolation::limits) plan.group = take_cgroup({0, build_tasks});
  const auto timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(toolchain.timeout_seconds));
  const RunResult run = run_process(plan, timeout, log_bytes);
  result.log = run.output;
  if (run.timed_out) {
    result.cause =
        fmt::format("BUILD_ERROR: the compiler took longer than {} s", toolchain.timeout_seconds);
  } else if (!run.status.exited || run.status.code != 0) {
    result.cause = "BUILD_ERROR: " + first_error(run, folder);
  } else if (!fs::exists(result.library)) {
    result.cause = "BUILD_ERROR: the compiler wrote no library";
  } else {
    result.built = true;
  }
  return result;
}

// A program that cannot compile anything is no reason to blame a solution.
BuildResult compile(const Solution& solution, const Toolchain& toolchain, const fs::path& folder) {
  BuildResult result = try_to_compile(solution, toolchain, folder);
  if (result.built) return result;
  const std::string defect = compiler_defect(toolchain);
  if (!defect.empty()) throw std::runtime_error(defect);
  return result;
}

BuildResult build_library(const Solution& solution, const Toolchain& toolchain) {
  const std::string key =
      build_key(solution, toolchain, cpp_command(solution, toolchain, "library"));
  const Fd lock = toolchain.cache->lock(key);
  const fs::path folder = build_folder(toolchain, key);
  BuildResult result;
  result.library = folder / "solution.so";
  if (fs::exists(result.library)) {  // of a solution with the same sources
    result.built = result.from_cache = true;
    return result;
  }
  if (const auto entry = toolchain.cache->find(key)) {
    write_file(result.library, entry->body());
    result.built = result.from_cache = true;
    return result;
  }
  bool any = false;
  for (const SourceFile& source : solution.sources) any |= is_source(source.path);
  if (!any) {
    result.cause = "no source with a C++ extension (.cpp .cc .cxx .c)";
    return result;
  }
  result = compile(solution, toolchain, folder);
  if (result.built) {
    toolchain.cache->insert(key, "", read_file(result.library));
  } else {
    fs::remove_all(folder);
  }
  return result;
}

}  // namespace

std::string compiler_defect(const Toolchain& toolchain) {
  Solution nothing;
  nothing.spec.language = Language::cpp;
  nothing.sources = {{"nothing.cpp", "extern \"C\" void nothing() {}\n"}};
  const WorkFolder folder(fs::temp_directory_path(), trial_prefix);
  Toolchain plain = toolchain;
  plain.sanitizers = {};
  plain.timeout_seconds = 60;
  const BuildResult result = try_to_compile(nothing, plain, folder.path());
  if (result.built) return "";
  return fmt::format("{} cannot compile a function that does nothing: {}",
                     toolchain.compiler.string(), result.cause);
}

BuildResult build_cpp(const Solution& solution, const Toolchain& toolchain) {
  BuildResult result;
  if (has_torch_binding(solution) && toolchain.torch_include_dirs.empty()) {
    result.cause =
        "BUILD_ERROR: binding torch needs the headers of torch and of Python (python3-dev), which "
        "are not there";
    return result;
  }
  result = build_library(solution, toolchain);
  if (!has_torch_binding(solution)) return result;
  result.hosted = result.library.filename().string() + "::" + entry_symbol(solution);
  result.library = result.library.parent_path();
  return result;
}

}  // namespace kbench
