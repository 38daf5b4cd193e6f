#include "build/sources.hpp"

#include <fmt/format.h>

#include <cctype>

#include "base/content_identity.hpp"
#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

// With lengths, so that no two lists give the same text.
void add(std::string& text, std::string_view part) {
  text += fmt::format("{}:{};", part.size(), part);
}

// A truth is 1 or 0: the preprocessor of C has no other.
std::string macro_text(const ParameterValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "1" : "0";
  return parameter_text(value);
}

// What -march=native means here: another machine may not run what was built so.
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
  // What was built where every file could be read is not given out where none can.
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

}  // namespace kbench
