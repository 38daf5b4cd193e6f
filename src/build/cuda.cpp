#include "build/cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "build/compile.hpp"
#include "build/emulated.hpp"
#include "build/gpu/architecture.hpp"
#include "build/gpu/static_report.hpp"
#include "build/nvrtc.hpp"
#include "schema/read.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Paths = std::vector<fs::path>;

constexpr std::array<std::string_view, 5> cuda_extensions = {".cu", ".cpp", ".cc", ".cxx", ".c"};
constexpr const char* usual_architecture = "sm_90";

Words nvcc_own_flags(const Solution& solution) {
  // -lineinfo changes nothing in the code.
  Words flags = {"-shared", "-O2", "-Xcompiler", "-fPIC,-fdiagnostics-color=never",
                 "-Xptxas", "-v",  "-lineinfo"};
  if (has_torch_binding(solution))
    add_arguments(
        flags, {"-std=c++20", "-DTORCH_EXTENSION_NAME=solution", "-DTORCH_API_INCLUDE_EXTENSION_H",
                "--expt-relaxed-constexpr", "-D__CUDA_NO_HALF_OPERATORS__",
                "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
                "-D__CUDA_NO_HALF2_OPERATORS__"});  // torch.utils.cpp_extension's
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

// The machine code of each source for each architecture.
Paths cubins_in(const fs::path& folder) {
  Paths found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(folder, gone)) {
    const std::string name = entry.path().filename().string();
    // The device linker's output holds no kernel that they lack.
    if (name.ends_with(".cubin") && name.find("_dlink.") == name.npos)
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string report_of(const Toolchain& toolchain, const Compilation& compilation,
                      const fs::path& folder, std::string_view log) {
  std::vector<std::string> disassemblies;
  const bool disassembles = !toolchain.cuda.nvdisasm.empty();
  for (const fs::path& cubin : disassembles ? cubins_in(folder / kept_folder) : Paths{})
    disassemblies.push_back(
        output_of({toolchain.cuda.nvdisasm, "-c", cubin.string()}, toolchain, compilation, folder));
  Compiled report = gpu::static_report(log, disassemblies);
  const bool is_any_missing =
      std::any_of(report.kernels.begin(), report.kernels.end(),
                  [](const CompiledKernel& kernel) { return !kernel.instructions; });
  if (!disassembles)
    report.no_instructions = no_nvdisasm;
  else if (is_any_missing)
    report.no_instructions = not_all_disassembled;
  return to_json(report, Dump::full);
}

// Returns flags for the libraries that FlashInfer-Bench's builder links, as far as the toolkit has
// them: a source that uses another cannot be compiled without its headers.
Words nvidia_libraries(const fs::path& toolkit) {
  Words flags;
  for (const char* const folder : {"lib64", "lib64/stubs", "lib", "lib/stubs"})
    if (fs::exists(toolkit / folder)) flags.push_back("-L" + (toolkit / folder).string());
  for (const std::string name : {"cuda", "cublas"}) {
    const bool is_there = std::any_of(flags.begin(), flags.end(), [&](const std::string& flag) {
      return flag.starts_with("-L") && fs::exists(flag.substr(2) + "/lib" + name + ".so");
    });
    if (is_there) flags.push_back("-l" + name);
  }
  return flags;
}

Compilation nvcc_compilation_by(const Toolchain& toolchain) {
  Compilation compilation;
  compilation.compiler = toolchain.cuda.nvcc;
  compilation.command = [&toolchain](const Solution& solution, const fs::path& library) {
    return cuda_command(solution, toolchain, library);
  };
  compilation.extensions = cuda_extensions;
  compilation.language = "CUDA";
  compilation.readable = readable_by(toolchain);
  for (const fs::path& tool : {toolchain.cuda.nvcc, toolchain.cuda.nvdisasm})
    if (!tool.empty()) compilation.readable.push_back(toolkit_of(tool));
  compilation.report = [&toolchain, held = compilation](const fs::path& folder,
                                                        std::string_view log) {
    return report_of(toolchain, held, folder, log);
  };
  return compilation;
}

}  // namespace

std::string cuda_unavailable(const Toolchain& toolchain) {
  if (toolchain.emulation) return emulated_unavailable(toolchain);
  if (!toolchain.cuda.nvcc.empty())
    return toolchain.compiler.empty() ? "nvcc needs a C++ compiler: install g++ or set CXX" : "";
  if (toolchain.cuda.chosen_nvcc.empty())
    return "no nvcc found: install NVIDIA's CUDA Toolkit (docs/cuda.md) or set CUDACXX";
  return fmt::format("CUDACXX is \"{}\", and there is no program of that name",
                     toolchain.cuda.chosen_nvcc);
}

Words cuda_flags(const Solution& solution, const Toolchain& toolchain) {
  if (toolchain.emulation) return emulated_flags(solution, toolchain);
  const Words architectures = architectures_for(solution, toolchain);
  if (solution.spec.launch) {
    Words flags = {"--gpu-architecture=" + join(architectures, ",")};
    add_arguments(flags, nvrtc_flags(solution));
    return flags;
  }
  Words flags = nvcc_own_flags(solution);
  for (const std::string& one : architectures) flags.push_back(code_for(one));
  add_arguments(flags, solution_flags(solution));
  add_arguments(flags, solution.spec.link_flags.value_or(Words{}));
  return flags;
}

std::vector<std::string> architectures_for(const Solution& solution, const Toolchain& toolchain) {
  if (!toolchain.architectures.empty()) return toolchain.architectures;
  Words found = gpu::architectures_of(solution.spec.target_hardware);
  if (!found.empty()) return found;
  return {toolchain.device.empty() ? usual_architecture : toolchain.device};
}

Words cuda_command(const Solution& solution, const Toolchain& toolchain, const fs::path& library) {
  Words command = {toolchain.cuda.nvcc.string(), "-ccbin", toolchain.compiler.string(), "--keep",
                   "--keep-dir=" + (library.parent_path() / kept_folder).string()};
  add_arguments(command, nvcc_own_flags(solution));
  for (const std::string& one : architectures_for(solution, toolchain))
    command.push_back(code_for(one));
  const bool is_torch = has_torch_binding(solution);
  for (const fs::path& folder : is_torch ? toolchain.torch_include_dirs : toolchain.include_dirs)
    add_arguments(command, {is_torch ? "-isystem" : "-I", folder.string()});
  command.emplace_back("-I.");
  add_arguments(command, solution_flags(solution));
  for (const SourceFile& source : solution.sources)
    if (has_extension(source.path, cuda_extensions)) command.push_back(argument_of(source));
  add_arguments(command, {"-o", library.string(), "-Xlinker", "--as-needed"});
  add_arguments(command, nvidia_libraries(toolkit_of(toolchain.cuda.nvcc)));
  if (!is_torch && !toolchain.tvm_ffi_lib.empty()) {
    const std::string folder = toolchain.tvm_ffi_lib.string();
    add_arguments(command, {"-L" + folder, "-ltvm_ffi", "-Xlinker", "-rpath," + folder});
  }
  add_arguments(command, solution.spec.link_flags.value_or(Words{}));
  return command;
}

BuildResult build_cuda(const Solution& solution, const Toolchain& toolchain) {
  if (toolchain.emulation) return build_emulated(solution, toolchain);
  if (solution.spec.launch) return build_kernel(solution, toolchain);
  BuildResult result;
  if (has_torch_binding(solution) && toolchain.torch_include_dirs.empty()) {
    result.cause = fmt::format("BUILD_ERROR: {}", no_torch_headers);
    return result;
  }
  result = build_library(solution, toolchain, nvcc_compilation_by(toolchain), empty_kernel);
  if (has_torch_binding(solution)) make_hosted(solution, result);
  if (result.built) {
    Diagnostics none;
    result.compiled = read_text<Compiled>({"report", result.report}, {}, none);
  }
  return result;
}

}  // namespace kbench
