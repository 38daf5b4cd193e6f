#include "build/cuda.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "build/compile.hpp"
#include "build/gpu_architecture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 5> extensions = {".cu", ".cpp", ".cc", ".cxx", ".c"};
constexpr const char* usual_architecture = "sm_90";

const SourceFile nothing{"nothing.cu", "__global__ void nothing() {}\n"};

bool has_torch_binding(const Solution& solution) { return solution.spec.binding == Binding::torch; }

void append(Words& to, const Words& more) { to.insert(to.end(), more.begin(), more.end()); }

Words own_flags(const Solution& solution) {
  Words flags = {"-shared", "-O2", "-Xcompiler", "-fPIC,-fdiagnostics-color=never",
                 "-Xptxas", "-v"};
  if (has_torch_binding(solution))
    append(flags,
           {"-std=c++20", "-DTORCH_EXTENSION_NAME=solution", "-DTORCH_API_INCLUDE_EXTENSION_H",
            "--expt-relaxed-constexpr", "-D__CUDA_NO_HALF_OPERATORS__",
            "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
            "-D__CUDA_NO_HALF2_OPERATORS__"});  // as torch.utils.cpp_extension has them
  else
    flags.emplace_back("-std=c++17");
  return flags;
}

// "-gencode=arch=compute_90a,code=sm_90a"
std::string code_for(const std::string& architecture) {
  const std::string number = architecture.substr(architecture.find('_') + 1);
  return fmt::format("-gencode=arch=compute_{0},code=sm_{0}", number);
}

// The folder that has bin/nvcc, with all of the toolkit below it.
fs::path toolkit_of(const fs::path& nvcc) {
  return fs::weakly_canonical(nvcc).parent_path().parent_path();
}

Compilation compilation_by(const Toolchain& toolchain) {
  Compilation compilation;
  compilation.compiler = toolchain.nvcc;
  compilation.command = [&toolchain](const Solution& solution, const fs::path& library) {
    return cuda_command(solution, toolchain, library);
  };
  compilation.extensions = extensions;
  compilation.language = "CUDA";
  compilation.readable = readable_by(toolchain);
  compilation.readable.push_back(toolkit_of(toolchain.nvcc));
  return compilation;
}

}  // namespace

std::string cuda_unavailable(const Toolchain& toolchain) {
  if (!toolchain.nvcc.empty())
    return toolchain.compiler.empty() ? "nvcc needs a C++ compiler: install g++ or set CXX" : "";
  if (toolchain.chosen_nvcc.empty())
    return "no nvcc found: install NVIDIA's CUDA Toolkit (docs/cuda.md) or set CUDACXX";
  return fmt::format("CUDACXX is \"{}\", and there is no program of that name",
                     toolchain.chosen_nvcc);
}

std::vector<std::string> architectures_for(const Solution& solution, const Toolchain& toolchain) {
  if (!toolchain.architectures.empty()) return toolchain.architectures;
  Words found = architectures_of(solution.spec.target_hardware);
  return found.empty() ? Words{usual_architecture} : found;
}

Words cuda_command(const Solution& solution, const Toolchain& toolchain, const fs::path& library) {
  Words command = {toolchain.nvcc.string(), "-ccbin", toolchain.compiler.string()};
  append(command, own_flags(solution));
  for (const std::string& one : architectures_for(solution, toolchain))
    command.push_back(code_for(one));
  const bool is_torch = has_torch_binding(solution);
  for (const fs::path& folder : is_torch ? toolchain.torch_include_dirs : toolchain.include_dirs)
    append(command, {is_torch ? "-isystem" : "-I", folder.string()});
  command.emplace_back("-I.");
  append(command, solution.spec.compile_flags.value_or(Words{}));
  for (const SourceFile& source : solution.sources)
    if (has_extension(source.path, extensions)) command.push_back(source.path);
  append(command, {"-o", library.string(), "-Xlinker", "--as-needed", "-lcuda", "-lcublas"});
  if (!is_torch && !toolchain.tvm_ffi_lib.empty()) {
    const std::string folder = toolchain.tvm_ffi_lib.string();
    append(command, {"-L" + folder, "-ltvm_ffi", "-Xlinker", "-rpath," + folder});
  }
  append(command, solution.spec.link_flags.value_or(Words{}));
  return command;
}

BuildResult build_cuda(const Solution& solution, const Toolchain& toolchain) {
  BuildResult result;
  if (has_torch_binding(solution) && toolchain.torch_include_dirs.empty()) {
    result.cause = no_torch_headers;
    return result;
  }
  result = build_library(solution, toolchain, compilation_by(toolchain), nothing);
  if (has_torch_binding(solution)) make_hosted(solution, result);
  return result;
}

}  // namespace kbench
