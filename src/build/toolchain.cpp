#include <stdlib.h>

#include <chrono>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "build/builder.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = ::getenv(name);
  return value != nullptr ? value : "";
}

std::string ask_version(const fs::path& compiler) {
  ProcessPlan plan;
  plan.argv = {compiler.string(), "--version"};
  plan.environment = {"PATH=" + variable("PATH"), "LC_ALL=C"};
  const std::string text = run_process(plan, std::chrono::seconds(10), 4096).output;
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string compiler_version(const Toolchain& toolchain) {
  if (toolchain.compiler.empty()) return "";
  const std::string key = sha256_hex("compiler version " + toolchain.compiler.string() + " " +
                                     file_identity(toolchain.compiler));
  if (toolchain.cache != nullptr) {
    if (const auto known = toolchain.cache->find(key)) return known->text;
  }
  std::string version = ask_version(toolchain.compiler);
  if (toolchain.cache != nullptr && !version.empty()) toolchain.cache->insert(key, version, "");
  return version;
}

Toolchain system_toolchain() {
  Toolchain toolchain;
  toolchain.chosen_compiler = variable("CXX");
  std::vector<std::string> names = {"c++", "g++", "clang++"};
  if (!toolchain.chosen_compiler.empty()) names = {toolchain.chosen_compiler};
  for (const std::string& name : names) {
    if (toolchain.compiler.empty()) toolchain.compiler = find_program(name);
  }
  // Set by src/CMakeLists.txt to what was found at configuration.
  toolchain.include_dirs = {KBENCH_CANDIDATE_INCLUDE};
  if (const std::string ffi = KBENCH_TVM_FFI_INCLUDE; !ffi.empty())
    toolchain.include_dirs.emplace_back(ffi);
  if (const std::string dlpack = KBENCH_DLPACK_INCLUDE;
      !dlpack.empty() && dlpack != KBENCH_TVM_FFI_INCLUDE) {
    toolchain.include_dirs.emplace_back(dlpack);
  }
  toolchain.tvm_ffi_lib = KBENCH_TVM_FFI_LIB;
  for (const std::string_view folder : split(KBENCH_TORCH_INCLUDE, ':')) {
    if (!folder.empty()) toolchain.torch_include_dirs.emplace_back(folder);
  }
  return toolchain;
}

}  // namespace kbench
