#include "build/cpp.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace kbench {
namespace {

namespace fs = std::filesystem;
constexpr std::array<std::string_view, 4> cpp_extensions = {".cpp", ".cc", ".cxx", ".c"};

}  // namespace

std::string cpp_unavailable(const Toolchain& toolchain) {
  if (!toolchain.compiler.empty()) return sanitizers_unavailable(toolchain);
  if (toolchain.chosen_compiler.empty()) return "no C++ compiler found: install g++ or set CXX";
  return fmt::format(
      "CXX is \"{}\", and there is no program of that name (flags do not belong there)",
      toolchain.chosen_compiler);
}

namespace {

// kbench's own flags. A module of Python (binding torch) links nothing: the libraries it needs are
// already in the process that imports it.
std::vector<std::string> cpp_own_flags(const Solution& solution) {
  std::vector<std::string> flags = {"-fPIC", "-O2", "-shared", "-fdiagnostics-color=never"};
  if (has_torch_binding(solution)) {
    add_arguments(flags, {"-std=c++20", "-DTORCH_EXTENSION_NAME=solution",
                          "-DTORCH_API_INCLUDE_EXTENSION_H"});
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

std::vector<std::string> cpp_flags(const Solution& solution, const Toolchain& toolchain) {
  std::vector<std::string> flags = cpp_own_flags(solution);
  add_arguments(flags, solution_flags(solution));
  add_arguments(flags, solution.spec.link_flags.value_or(std::vector<std::string>{}));
  add_arguments(flags, sanitizer_flags(toolchain.sanitizers));
  return flags;
}

std::vector<std::string> cpp_command(const Solution& solution, const Toolchain& toolchain,
                                     const fs::path& library) {
  const bool is_torch = has_torch_binding(solution);
  std::vector<std::string> command = {toolchain.compiler.string()};
  add_arguments(command, cpp_own_flags(solution));
  add_arguments(command, include_flags(solution, toolchain));
  command.push_back("-I.");
  add_arguments(command, solution_flags(solution));
  for (const SourceFile& source : solution.sources)
    if (has_extension(source.path, cpp_extensions)) command.push_back(argument_of(source));
  add_arguments(command, {"-o", library.string()});
  if (!is_torch && !toolchain.tvm_ffi_lib.empty()) {
    // Solutions that use the small header alone do not need it.
    const std::string folder = toolchain.tvm_ffi_lib.string();
    add_arguments(command, {"-Wl,--as-needed", "-L" + folder, "-ltvm_ffi", "-Wl,-rpath," + folder});
  }
  add_arguments(command, solution.spec.link_flags.value_or(std::vector<std::string>{}));
  add_arguments(command, sanitizer_flags(toolchain.sanitizers));
  // Reports name sources as the solution does.
  if (toolchain.sanitizers.any_of_gcc())
    command.push_back(
        fmt::format("-ffile-prefix-map={}=.", (library.parent_path() / "src").string()));
  return command;
}

Compilation cpp_compilation(const Toolchain& toolchain) {
  Compilation compilation;
  compilation.compiler = toolchain.compiler;
  compilation.command = [&toolchain](const Solution& solution, const fs::path& library) {
    return cpp_command(solution, toolchain, library);
  };
  compilation.extensions = cpp_extensions;
  compilation.language = "C++";
  compilation.readable = readable_by(toolchain);
  return compilation;
}

std::string compiler_defect(const Toolchain& toolchain) {
  return defect_of(toolchain, cpp_compilation(toolchain), empty_source);
}

BuildResult build_cpp(const Solution& solution, const Toolchain& toolchain) {
  BuildResult result;
  if (has_torch_binding(solution) && toolchain.torch_include_dirs.empty()) {
    result.cause = fmt::format("BUILD_ERROR: {}", no_torch_headers);
    return result;
  }
  result = build_library(solution, toolchain, cpp_compilation(toolchain), empty_source);
  if (has_torch_binding(solution)) make_hosted(solution, result);
  return result;
}

}  // namespace kbench
