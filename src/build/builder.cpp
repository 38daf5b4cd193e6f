#include "build/builder.hpp"

#include <fmt/format.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/python.hpp"
#include "base/system.hpp"
#include "build/compile.hpp"
#include "build/cpp.hpp"
#include "build/cuda.hpp"
#include "build/gpu/architecture.hpp"
#include "build/nvrtc.hpp"
#include "sandbox/process.hpp"
#include "schema/names.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  if (const std::string home = variable("CUDA_HOME"); !home.empty()) folders.emplace_back(home);
  folders.emplace_back("/usr/local/cuda");
  folders.push_back(installation().plugins / "cuda");
  return folders;
}

// Returns the path that leads there in a sandbox, too.
fs::path real_path(const fs::path& path) {
  return path.empty() ? path : fs::weakly_canonical(path);
}

fs::path find_tool(const char* name) {
  if (const fs::path in_path = find_program(name); !in_path.empty()) return in_path;
  for (const fs::path& folder : toolkit_folders()) {
    const fs::path tool = find_program(folder / "bin" / name);
    if (!tool.empty()) return tool;
  }
  return {};
}

// The program lies in a folder with all that it needs, beside a toolkit's bin/compute-sanitizer,
// which is a script.
fs::path find_compute_sanitizer() {
  constexpr const char* name = "compute-sanitizer";
  const fs::path found = find_tool(name);
  if (found.empty()) return {};
  const fs::path toolkit = fs::weakly_canonical(found).parent_path().parent_path();
  for (const char* const folder : {".", "extras"}) {
    const fs::path program = find_program(toolkit / folder / name / name);
    if (!program.empty()) return real_path(program);
  }
  return real_path(found);
}

fs::path nvrtc_in(const fs::path& toolkit) {
  for (const char* const folder : {"lib64", "lib"}) {
    for (const char* const name : {"libnvrtc.so.13", "libnvrtc.so", "libnvrtc.so.12"}) {
      std::error_code none;
      if (const fs::path file = toolkit / folder / name; fs::exists(file, none)) return file;
    }
  }
  return {};
}

void find_nvrtc(CudaToolkit& toolkit) {
  toolkit.chosen_nvrtc = variable("KBENCH_NVRTC");
  std::error_code none;
  if (!toolkit.chosen_nvrtc.empty()) {
    if (fs::exists(toolkit.chosen_nvrtc, none)) toolkit.nvrtc = toolkit.chosen_nvrtc;
  } else {
    std::vector<fs::path> folders = toolkit_folders();
    if (!toolkit.nvcc.empty())
      folders.insert(folders.begin(),
                     fs::weakly_canonical(toolkit.nvcc).parent_path().parent_path());
    for (const fs::path& folder : folders)
      if (toolkit.nvrtc.empty()) toolkit.nvrtc = nvrtc_in(folder);
  }
  toolkit.nvrtc = real_path(toolkit.nvrtc);
}

}  // namespace

CudaToolkit find_cuda_toolkit() {
  CudaToolkit toolkit;
  toolkit.chosen_nvcc = variable("CUDACXX");
  toolkit.nvcc =
      toolkit.chosen_nvcc.empty() ? find_tool("nvcc") : find_program(toolkit.chosen_nvcc);
  if (!toolkit.nvcc.empty())
    toolkit.nvdisasm = find_program(fs::weakly_canonical(toolkit.nvcc).parent_path() / "nvdisasm");
  if (toolkit.nvdisasm.empty()) toolkit.nvdisasm = find_tool("nvdisasm");
  toolkit.nvdisasm = real_path(toolkit.nvdisasm);
  toolkit.compute_sanitizer = find_compute_sanitizer();
  toolkit.ncu = real_path(find_tool("ncu"));
  find_nvrtc(toolkit);
  return toolkit;
}

std::string python_unavailable(const Toolchain&) { return ""; }

BuildResult build_python(const Solution& solution, const Toolchain& toolchain) {
  const std::string key = build_key(solution, toolchain, toolchain.compiler, {"python"});
  const Fd lock = toolchain.cache->lock(key);
  BuildResult result;
  result.built = true;
  result.library = build_folder(toolchain, key);
  result.hosted = solution.spec.entry_point;
  if (solution.is_compiled_reference) result.compiler = toolchain.compiler;
  result.from_cache = fs::exists(result.library);  // another solution has the same sources
  if (!result.from_cache) write_sources(solution, result.library);
  return result;
}

namespace {

constexpr Builder table[] = {
    {Language::cpp, "C++ by the system's compiler, tvm-ffi binding", &cpp_unavailable, &build_cpp,
     &cpp_flags},
    {Language::cuda, "CUDA by nvcc, tvm-ffi binding; a kernel by NVRTC", &cuda_unavailable,
     &build_cuda, &cuda_flags},
    {Language::python, "PyTorch, in kbench-torch", &python_unavailable, &build_python, nullptr},
    {Language::triton, "Triton, in kbench-torch, on a GPU or with --emulate", &python_unavailable,
     &build_python, nullptr},
};

}  // namespace

const Builder* find_builder(Language language) {
  for (const Builder& builder : table)
    if (builder.language == language) return &builder;
  return nullptr;
}

std::vector<std::string> build_flags(const Solution& solution, const Toolchain& toolchain) {
  const Builder* const builder = find_builder(solution.spec.language);
  const bool compiles = builder != nullptr && builder->flags != nullptr;
  return compiles ? builder->flags(solution, toolchain) : std::vector<std::string>{};
}

std::string unavailable(const Solution& solution, const Toolchain& toolchain) {
  const bool is_emulated = toolchain.emulation.has_value();
  if (solution.spec.launch && !is_emulated) return nvrtc_unavailable(toolchain);
  if (solution.is_compiled_reference && toolchain.compiler.empty())
    return "torch.compile needs a C++ compiler: " + cpp_unavailable(toolchain);
  if (solution.is_compiled_reference && toolchain.isolation == Isolation::limits)
    return "torch.compile starts programs, which isolation level C does not hold";
  return find_builder(solution.spec.language)->unavailable(toolchain);
}

bool has_torch_binding(const Solution& solution) { return solution.spec.binding == Binding::torch; }

bool runs_in_python(const Solution& solution) {
  const BuildSpec& spec = solution.spec;
  const bool is_compiled = spec.language == Language::cpp || spec.language == Language::cuda;
  return !is_compiled || spec.binding == Binding::torch;
}

bool has_nvidia_gpu() {
  std::error_code error;
  return !variable("KBENCH_CUDA_DRIVER").empty() ||
         std::filesystem::exists("/dev/nvidiactl", error);
}

bool wants_gpu(const Solution& solution) {
  const BuildSpec& spec = solution.spec;
  return is_for_gpu(spec.language) ||
         (spec.language == Language::python && gpu::names_gpu(spec.target_hardware));
}

std::string refusal(const Solution& solution, const Toolchain& toolchain) {
  if (find_builder(solution.spec.language) == nullptr) {
    return fmt::format("language {} has no builder in this version",
                       name_of(solution.spec.language));
  }
  if (solution.spec.language == Language::triton && !toolchain.emulation && !has_nvidia_gpu())
    return "language triton needs an NVIDIA GPU, and there is none here: --emulate judges it "
           "without";
  return "";
}

namespace {

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

// Returns "" where it cannot be asked.
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

// "NVRTC 13.5", the first line; "" where the text says what is wrong with it.
std::string nvrtc_in(const std::string& text) {
  return text.starts_with("NVRTC ") ? first_line(text) : "";
}

// `read` finds it in the output; a library is asked through the words of `asked_by`.
std::string version_of(const Toolchain& toolchain, const fs::path& compiler,
                       std::string (*read)(const std::string& text),
                       std::vector<std::string> asked_by = {}) {
  if (compiler.empty()) return "";
  const std::string key =
      sha256_hex("compiler version " + compiler.string() + " " + file_identity(compiler));
  if (toolchain.cache != nullptr) {
    if (const auto known = toolchain.cache->find(key)) return known->text;
  }
  asked_by.push_back(compiler.string());
  std::string version = read(ask_version(std::move(asked_by)));
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
                    {(installation().programs / "kbench-worker").string(), "--nvrtc"});
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
