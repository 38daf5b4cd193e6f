
#include <chrono>
#include <system_error>
#include <utility>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/libtorch.hpp"
#include "base/program.hpp"
#include "base/python.hpp"
#include "base/variable.hpp"
#include "build/builder.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

void add_headers(Toolchain& toolchain) {
  toolchain.include_dirs = {fs::weakly_canonical(installation().headers)};
  if (const auto tvm_ffi = find_tvm_ffi()) {
    toolchain.include_dirs.push_back(*tvm_ffi / "include");
    toolchain.tvm_ffi_lib = *tvm_ffi / "lib";
  }
  const auto libtorch = find_libtorch();
  const auto python = libtorch ? find_python(*libtorch) : std::nullopt;
  if (!python || python->headers.empty()) return;
  const fs::path include = libtorch->folder / "include";
  toolchain.torch_include_dirs = {include, include / "torch/csrc/api/include", python->headers};
}

// "" where it cannot be asked.
std::string ask_version(std::vector<std::string> command) try {
  ProcessPlan plan;
  plan.argv = std::move(command);
  plan.argv.emplace_back("--version");
  plan.environment = {"PATH=" + variable("PATH"), "LC_ALL=C"};
  return run_process(plan, std::chrono::seconds(10), 4096).output;
} catch (const std::system_error&) {
  return "";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// "Cuda compilation tools, release 13.5, V13.5.37" → "nvcc 13.5.37".
std::string release_in(const std::string& text) {
  const auto at = text.find(", V");
  if (at == text.npos) return "";
  return "nvcc " + first_line(text.substr(at + 3));
}

// "NVRTC 13.5", or what is wrong with it.
std::string nvrtc_in(const std::string& text) {
  return text.starts_with("NVRTC ") ? first_line(text) : "";
}

// By `read` of what it prints; a library is asked through `program`.
std::string version_of(const Toolchain& toolchain, const fs::path& compiler,
                       std::string (*read)(const std::string& text), const fs::path& program = {}) {
  if (compiler.empty()) return "";
  const std::string key =
      sha256_hex("compiler version " + compiler.string() + " " + file_identity(compiler));
  if (toolchain.cache != nullptr) {
    if (const auto known = toolchain.cache->find(key)) return known->text;
  }
  std::vector<std::string> command = {compiler.string()};
  if (!program.empty()) command.insert(command.begin(), program.string());
  std::string version = read(ask_version(std::move(command)));
  if (toolchain.cache != nullptr && !version.empty()) toolchain.cache->insert(key, version, "");
  return version;
}

}  // namespace

std::string compiler_version(const Toolchain& toolchain) {
  return version_of(toolchain, toolchain.compiler, &first_line);
}

std::string nvcc_version(const Toolchain& toolchain) {
  return version_of(toolchain, toolchain.cuda.nvcc, &release_in);
}

std::string nvrtc_version(const Toolchain& toolchain) {
  return version_of(toolchain, toolchain.cuda.nvrtc, &nvrtc_in,
                    installation().programs / "kbench-nvrtc");
}

Toolchain system_toolchain() {
  Toolchain toolchain;
  toolchain.chosen_compiler = variable("CXX");
  std::vector<std::string> names = {"c++", "g++", "clang++"};
  if (!toolchain.chosen_compiler.empty()) names = {toolchain.chosen_compiler};
  for (const std::string& name : names) {
    if (toolchain.compiler.empty()) toolchain.compiler = find_program(name);
  }
  toolchain.cuda = find_cuda_toolkit();
  add_headers(toolchain);
  return toolchain;
}

}  // namespace kbench
