#include "build/sanitizers.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/installation.hpp"
#include "base/text.hpp"
#include "build/builder.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct Known {
  std::string_view name;
  bool Sanitizers::*is_on;
  Language language;
};

constexpr Known all[] = {{"address", &Sanitizers::address, Language::cpp},
                         {"undefined", &Sanitizers::undefined, Language::cpp},
                         {"memcheck", &Sanitizers::memcheck, Language::cuda},
                         {"racecheck", &Sanitizers::racecheck, Language::cuda},
                         {"initcheck", &Sanitizers::initcheck, Language::cuda},
                         {"synccheck", &Sanitizers::synccheck, Language::cuda}};

// Returns the path of a compiler's own file; "" where it has none: it says the bare name then.
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

// clang's runtimes cannot name a line without starting a program, which the sandbox forbids.
bool is_clang(const Toolchain& toolchain) {
  return compiler_version(toolchain).find("clang") != std::string::npos;
}

}  // namespace

std::optional<Sanitizers> parse_sanitizers(std::string_view list) {
  Sanitizers out;
  for (const std::string_view name : split(list, ',')) {
    const auto known = std::find_if(std::begin(all), std::end(all),
                                    [name](const Known& one) { return one.name == name; });
    if (known == std::end(all) || out.*known->is_on) return std::nullopt;
    out.*known->is_on = true;
  }
  return out.any() ? std::optional(out) : std::nullopt;
}

std::vector<std::string> names_of(const Sanitizers& sanitizers) {
  std::vector<std::string> names;
  for (const Known& one : all)
    if (sanitizers.*one.is_on) names.emplace_back(one.name);
  return names;
}

std::string name_of(const Sanitizers& sanitizers) { return join(names_of(sanitizers), ","); }

Sanitizers of_language(const Sanitizers& sanitizers, Language language) {
  Sanitizers out;
  for (const Known& one : all) out.*one.is_on = sanitizers.*one.is_on && one.language == language;
  return out;
}

std::vector<std::string> sanitizer_flags(const Sanitizers& sanitizers) {
  const Sanitizers of_gcc = of_language(sanitizers, Language::cpp);
  if (!of_gcc.any()) return {};
  std::vector<std::string> flags = {"-fsanitize=" + name_of(of_gcc)};
  // Kernels do this wrong, and "undefined" leaves it out.
  if (of_gcc.undefined) flags.emplace_back("-fsanitize=float-cast-overflow");
  flags.insert(flags.end(), {"-fno-sanitize-recover=all", "-g", "-fno-omit-frame-pointer", "-O1"});
  return flags;
}

fs::path sanitizer_runtime(const Toolchain& toolchain) {
  return toolchain.sanitizers.address ? file_of_compiler(toolchain, "libasan.so") : fs::path();
}

std::string sanitizers_unavailable(const Toolchain& toolchain) {
  if (!toolchain.sanitizers.any_of_gcc()) return "";
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

std::string gpu_sanitizers_unavailable(const Toolchain& toolchain) {
  if (!toolchain.sanitizers.any_of_gpu() || !toolchain.cuda.compute_sanitizer.empty()) return "";
  return "--sanitize needs compute-sanitizer, which is not there: install NVIDIA's CUDA Toolkit, "
         "or nvidia-cuda-sanitizer-api of PyPI (docs/sanitize.md)";
}

Sanitizers sanitizers_of(const JudgeSettings& settings) {
  return parse_sanitizers(settings.sanitize).value_or(Sanitizers{});
}

}  // namespace kbench
