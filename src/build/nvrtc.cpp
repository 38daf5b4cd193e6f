#include "build/nvrtc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/cubins.hpp"
#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/text.hpp"
#include "base/work_folder.hpp"
#include "build/compile.hpp"
#include "build/cuda.hpp"
#include "build/gpu/static_report.hpp"
#include "schema/read.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 1> nvrtc_extensions = {".cu"};
constexpr std::string_view symbol_line = "kernel ";  // begin of the last line that it prints

fs::path program() { return installation().programs / "kbench-worker"; }

// "-Xptxas=-O1,-v" → "--ptxas-options=-O1", "--ptxas-options=-v": NVRTC takes one at a time.
void add_flag(const std::string& flag, Words& to) {
  constexpr std::string_view passed_on = "-Xptxas=";
  if (!flag.starts_with(passed_on)) return to.push_back(flag);
  for (const std::string_view one : split(std::string_view(flag).substr(passed_on.size()), ','))
    to.push_back("--ptxas-options=" + std::string(one));
}

std::string report_of(std::string_view log, const Words& disassemblies) {
  return to_json(gpu::static_report(log, disassemblies), Dump::full);
}

Compilation nvrtc_compilation_by(const Toolchain& toolchain) {
  Compilation compilation;
  compilation.compiler = toolchain.cuda.nvrtc;  // its folders are shown, its version counts
  compilation.command = [&toolchain](const Solution& solution, const fs::path& library) {
    return nvrtc_command(solution, toolchain, library);
  };
  compilation.extensions = nvrtc_extensions;
  compilation.language = "CUDA";
  compilation.readable = {program()};
  if (!toolchain.cuda.nvdisasm.empty()) compilation.readable.push_back(toolchain.cuda.nvdisasm);
  compilation.report = [](const fs::path&, std::string_view log) { return report_of(log, {}); };
  return compilation;
}

std::string symbol_in(std::string_view log) {
  const auto at = log.rfind(std::string("\n") + std::string(symbol_line));
  const std::string_view line = at == log.npos ? log : log.substr(at + 1);
  if (!line.starts_with(symbol_line)) return "";
  return std::string(trim(line.substr(symbol_line.size())));
}

std::optional<Compiled> read_report(const std::string& text) {
  Diagnostics none;
  return read_text<Compiled>({"report", text}, {}, none);
}

Words disassemble(const std::vector<Cubin>& cubins, const Toolchain& toolchain) {
  const WorkFolder folder(temporary_folder(), trial_prefix);
  fs::create_directories(folder.path() / "src");  // the folder it runs in
  Words disassemblies;
  for (const Cubin& cubin : cubins) {
    const fs::path file = folder.path() / (cubin.architecture + ".cubin");
    write_file(file, cubin.code);
    disassemblies.push_back(output_of({toolchain.cuda.nvdisasm, "-c", file.string()}, toolchain,
                                      nvrtc_compilation_by(toolchain), folder.path()));
  }
  return disassemblies;
}

}  // namespace

std::string nvrtc_unavailable(const Toolchain& toolchain) {
  if (!toolchain.cuda.nvrtc.empty()) return "";
  if (!toolchain.cuda.chosen_nvrtc.empty())
    return fmt::format("KBENCH_NVRTC is \"{}\", and there is no file of that name",
                       toolchain.cuda.chosen_nvrtc);
  return "no NVRTC found: install the CUDA Toolkit or the PyPI package nvidia-cuda-nvrtc, or set "
         "KBENCH_NVRTC to libnvrtc.so";
}

std::vector<std::string> nvrtc_flags(const Solution& solution) {
  Words flags = {"--std=c++17", "-lineinfo", "--ptxas-options=-v"};
  for (const std::string& flag : solution_flags(solution)) add_flag(flag, flags);
  return flags;
}

std::vector<std::string> nvrtc_command(const Solution& solution, const Toolchain& toolchain,
                                       const fs::path& library) {
  Words command = {program().string(),
                   "--nvrtc",
                   toolchain.cuda.nvrtc.string(),
                   argument_of(solution.sources.front()),
                   entry_symbol(solution),
                   library.string(),
                   join(architectures_for(solution, toolchain), ",")};
  const fs::path headers = toolchain.cuda.nvrtc.parent_path().parent_path() / "include";
  for (const fs::path& folder : {headers, headers / "cccl"})
    if (fs::exists(folder)) command.push_back("-I" + folder.string());
  command.emplace_back("-I.");
  for (std::string& flag : nvrtc_flags(solution)) command.push_back(std::move(flag));
  return command;
}

BuildResult build_kernel(const Solution& solution, const Toolchain& toolchain) {
  BuildResult result =
      build_library(solution, toolchain, nvrtc_compilation_by(toolchain), empty_kernel);
  if (!result.built) return result;
  result.symbol = symbol_in(result.log);
  result.compiled = read_report(result.report);
  return result;
}

void add_instructions(const Solution& solution, const Toolchain& toolchain, BuildResult& result) {
  if (!solution.spec.launch || !result.built || !result.compiled) return;
  if (toolchain.cuda.nvdisasm.empty()) {
    result.compiled->no_instructions = no_nvdisasm;
    return;
  }
  const std::string file = read_file(result.library);
  const std::string key =
      sha256_hex("instructions 1 " + file_identity(toolchain.cuda.nvdisasm) + "\n" + file);
  if (const auto known = toolchain.cache->find(key)) {
    result.compiled = read_report(known->text);
    return;
  }
  const auto cubins = unpack(file);
  if (!cubins) return;
  const std::string report = report_of(result.log, disassemble(*cubins, toolchain));
  result.compiled = read_report(report);
  const auto& kernels = result.compiled->kernels;
  const bool is_whole = std::all_of(kernels.begin(), kernels.end(), [](const CompiledKernel& one) {
    return one.instructions.has_value();
  });
  if (is_whole)
    toolchain.cache->insert(key, report, "");
  else
    result.compiled->no_instructions = not_all_disassembled;
}

}  // namespace kbench
