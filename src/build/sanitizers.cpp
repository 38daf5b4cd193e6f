#include "build/sanitizers.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>

#include "base/program.hpp"
#include "base/text.hpp"
#include "build/builder.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Where the compiler has a file of its own; "" where it has none: then it says the bare name.
fs::path file_of_compiler(const Toolchain& toolchain, std::string_view name) {
  ProcessPlan plan;
  plan.argv = {toolchain.compiler.string(), fmt::format("-print-file-name={}", name)};
  plan.environment = {"PATH=" + search_path(), "LC_ALL=C"};
  const RunResult run = run_process(plan, std::chrono::seconds(10), 4096);
  const fs::path file(std::string(trim(run.output)));
  std::error_code gone;
  if (!file.is_absolute() || !fs::exists(file, gone)) return {};
  return fs::canonical(file, gone);
}

// Its runtimes cannot name a line without starting a program, which the sandbox forbids.
bool is_clang(const Toolchain& toolchain) {
  return compiler_version(toolchain).find("clang") != std::string::npos;
}

}  // namespace

std::optional<Sanitizers> parse_sanitizers(std::string_view list) {
  Sanitizers out;
  for (const std::string_view name : split(list, ',')) {
    bool* const which = name == "address"     ? &out.address
                        : name == "undefined" ? &out.undefined
                                              : nullptr;
    if (which == nullptr || *which) return std::nullopt;
    *which = true;
  }
  return out.any() ? std::optional(out) : std::nullopt;
}

std::string name_of(const Sanitizers& sanitizers) {
  std::string name = sanitizers.address ? "address" : "";
  if (sanitizers.undefined) name += name.empty() ? "undefined" : ",undefined";
  return name;
}

std::vector<std::string> sanitizer_flags(const Sanitizers& sanitizers) {
  if (!sanitizers.any()) return {};
  std::vector<std::string> flags = {"-fsanitize=" + name_of(sanitizers)};
  // What kernels do wrong and "undefined" leaves out.
  if (sanitizers.undefined) flags.emplace_back("-fsanitize=float-cast-overflow");
  flags.insert(flags.end(), {"-fno-sanitize-recover=all", "-g", "-fno-omit-frame-pointer", "-O1"});
  return flags;
}

fs::path sanitizer_runtime(const Toolchain& toolchain) {
  return toolchain.sanitizers.address ? file_of_compiler(toolchain, "libasan.so") : fs::path();
}

std::string sanitizers_unavailable(const Toolchain& toolchain) {
  if (!toolchain.sanitizers.any()) return "";
  if (is_clang(toolchain))
    return "--sanitize needs g++, whose runtimes name lines by themselves, and the compiler is "
           "clang: set CXX";
  const std::pair<bool, const char*> needed[] = {{toolchain.sanitizers.address, "libasan.so"},
                                                 {toolchain.sanitizers.undefined, "libubsan.so"}};
  for (const auto& [wanted, name] : needed) {
    if (!wanted || !file_of_compiler(toolchain, name).empty()) continue;
    return fmt::format(
        "--sanitize needs {}, which the compiler does not have: install the "
        "package of gcc's sanitizers (libsanitizer, libasan and libubsan)",
        name);
  }
  return "";
}

}  // namespace kbench
