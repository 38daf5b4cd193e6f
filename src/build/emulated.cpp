#include "build/emulated.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.hpp"
#include "base/installation.hpp"
#include "base/text.hpp"
#include "build/compile.hpp"
#include "build/cpp.hpp"
#include "emulate/emulated_solution.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// A library that was built with other headers, or is linked to another runtime, is another one.
std::string identity(const EmulationKit& kit) {
  std::vector<fs::path> files = {kit.library};
  std::error_code gone;
  for (const auto& entry : fs::recursive_directory_iterator(kit.headers, gone))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string text;
  for (const fs::path& file : files) text += content_identity(file) + "\n";
  return sha256_hex(text).substr(0, 16);
}

// The headers stand before those of torch, some of which have the same names.
Words command_for(const Solution& translated, const Toolchain& toolchain, const fs::path& library) {
  const EmulationKit& kit = *toolchain.emulation;
  Words command = cpp_command(translated, toolchain, library);
  Words more = {"-I" + kit.headers.string()};
  if (has_torch_binding(translated)) more.push_back("-I" + (kit.headers / "torch").string());
  command.insert(command.begin() + 1, more.begin(), more.end());
  add_arguments(command, {"-DKBENCH_EMULATION_IDENTITY=" + identity(kit), "-Wl,--whole-archive",
                          kit.library.string(), "-Wl,--no-whole-archive", "-pthread"});
  if (!has_torch_binding(translated)) command.emplace_back("-Wl,--no-undefined");
  // Faults name sources as the solution does.
  command.push_back(
      fmt::format("-ffile-prefix-map={}=.", (library.parent_path() / "src").string()));
  return command;
}

Compilation compilation_by(const Toolchain& toolchain) {
  Compilation compilation = cpp_compilation(toolchain);
  compilation.fault = "not emulated";
  compilation.command = [&toolchain](const Solution& solution, const fs::path& library) {
    return command_for(solution, toolchain, library);
  };
  compilation.readable.push_back(toolchain.emulation->headers);
  compilation.readable.push_back(toolchain.emulation->library);
  return compilation;
}

// "kernel.cu:3:5: not emulated: clusters of blocks, and 2 more"
std::string described(const Diagnostics& problems) {
  const Diagnostic& first = problems.items().front();
  std::string text = fmt::format("{}:{}:{}: {}", first.where.file, first.where.line,
                                 first.where.column, first.message);
  if (const std::size_t more = problems.items().size() - 1; more > 0)
    text += fmt::format(", and {} more", more);
  return text;
}

std::string as_included(std::string_view header) {
  constexpr std::string_view folder = "/include/";
  const std::size_t at = header.rfind(folder);
  return std::string(at == header.npos ? header : header.substr(at + folder.size()));
}

// Returns the header of others, as a source includes it, in which or below which the first error
// lies: emulation's headers are not what it expects. "" where the error lies elsewhere.
std::string foreign_header(std::string_view log, const std::string& own) {
  std::string_view header;
  const auto take = [&](std::string_view place) {
    if (place.starts_with('/')) header = place.substr(0, place.find(':'));
  };
  for (const std::string_view line : split(log, '\n')) {
    constexpr std::string_view includer = " from ";
    const bool is_first = line.starts_with("In file included from ");
    if (is_first || line.find(" required from ") != line.npos) header = {};
    if (is_first || line.starts_with("                 from "))
      take(line.substr(line.find(includer) + includer.size()));
    if (line.find("error: ") == line.npos) continue;
    const bool is_refused = line.find(" use poisoned ") != line.npos;
    if (!line.starts_with('/') || is_refused) return "";
    if (header.empty()) take(line);
    if (header.starts_with(own)) return "";
    return as_included(header);
  }
  return "";
}

}  // namespace

EmulationKit emulation_kit() {
  const Installation here = installation();
  return {fs::weakly_canonical(here.headers) / "emulation",
          fs::weakly_canonical(here.plugins) / "libkbench-emulation.a"};
}

std::string emulated_unavailable(const Toolchain& toolchain) {
  if (std::string lacks = cpp_unavailable(toolchain); !lacks.empty()) return lacks;
  if (fs::exists(toolchain.emulation->library)) return "";
  return fmt::format("--emulate needs {}, which kbench installs and is not there",
                     toolchain.emulation->library.string());
}

Words emulated_flags(const Solution& solution, const Toolchain& /*toolchain*/) {
  Words flags = emulation_flags(solution.spec);
  add_arguments(flags, solution.spec.link_flags.value_or(Words{}));
  return flags;
}

BuildResult build_emulated(const Solution& solution, const Toolchain& toolchain) {
  BuildResult result;
  if (has_torch_binding(solution) && toolchain.torch_include_dirs.empty()) {
    result.not_emulated = no_torch_headers;
    return result;
  }
  Diagnostics problems;
  const Solution translated = emulated_solution(solution, problems);
  if (!problems.empty()) {
    result.not_emulated = described(problems);
    return result;
  }
  result = build_library(translated, toolchain, compilation_by(toolchain), empty_source);
  const std::string foreign = foreign_header(result.log, toolchain.emulation->headers.string());
  if (!result.built)
    result.not_emulated = foreign.empty() ? result.cause : "not emulated: " + foreign;
  else if (has_torch_binding(solution))
    make_hosted(solution, result);
  return result;
}

}  // namespace kbench
