#include "judge/equipment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/python.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "build/builder.hpp"
#include "build/cpp.hpp"
#include "build/cuda.hpp"
#include "build/emulated.hpp"
#include "build/nvrtc.hpp"
#include "exec/gpus.hpp"
#include "judge/engine.hpp"
#include "measure/machine/identity.hpp"
#include "reference/evaluator.hpp"
#include "sandbox/cgroup.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code error;
  return !path.empty() && fs::exists(path, error);
}

Tool tool_at(const fs::path& path) { return {is_there(path) ? path.string() : ""}; }

std::string with_version(const fs::path& path, const std::string& version) {
  return version.empty() ? path.string() : fmt::format("{}: {}", path.string(), version);
}

Tool find_compiler(const Toolchain& toolchain) {
  std::string problem = cpp_unavailable(toolchain);
  if (problem.empty()) problem = compiler_defect(toolchain);
  if (!problem.empty()) return {"", problem};
  return {with_version(toolchain.compiler, compiler_version(toolchain))};
}

// An evaluator is there when it starts: each has another LibTorch, or a Python without torch.
Tool find_evaluator(const fs::path& program, EvaluatorChoice which, const fs::path& place,
                    Cache& answers) try {
  if (!is_there(program)) return {};
  const std::atomic<bool> never = false;
  ReferenceLimits limits;
  limits.evaluator = which;
  ReferenceEvaluator evaluator(program, limits, 1, never, {&answers, machine_identity()});
  const bool is_python = which == EvaluatorChoice::python;
  return {with_version(place, (is_python ? "torch " : "LibTorch ") + evaluator.torch_version())};
} catch (const ServiceFailure& failure) {
  return {"", failure.what()};
}

fs::path python_program() {
  const auto libtorch = find_libtorch();
  const auto python = libtorch ? find_python(*libtorch) : std::nullopt;
  return python ? python->program : fs::path();
}

// Looks beside torch, in the same environment.
Tool find_triton() {
  const auto libtorch = find_libtorch();
  if (!libtorch) return {};
  const fs::path folder = libtorch->folder.parent_path() / "triton";
  constexpr std::string_view key = "__version__ = '";
  const std::string text = read_if_readable(folder / "__init__.py");
  const std::size_t at = text.find(key);
  if (at == text.npos) return {};
  const std::size_t begin = at + key.size();
  return {with_version(folder, text.substr(begin, text.find('\'', begin) - begin))};
}

// The first of the folders that holds the header.
Tool find_header(const std::vector<fs::path>& folders, const char* header,
                 std::string_view version_prefix) {
  for (const fs::path& folder : folders) {
    if (!is_there(folder / header)) continue;
    const std::string text = version_prefix.empty() ? "" : read_if_readable(folder / header);
    return {with_version(folder, header_version(text, version_prefix))};
  }
  return {};
}

Tool find_cgroups() {
  const CgroupPlace* const place = cgroups_here();
  if (place == nullptr) return {"", why_no_cgroups()};
  return {fmt::format("version {}, {}", place->version, place->folders.front().string())};
}

// "NVIDIA H200, sm_90, driver of CUDA 13.5", and each other one.
Tool find_gpu(const fs::path& programs) {
  const Gpus gpus = find_gpus(programs / gpu_worker_program);
  std::vector<std::string> found;
  for (const Gpu& gpu : gpus.all)
    found.push_back(
        fmt::format("{}, {}, driver of CUDA {}", gpu.name, gpu.architecture, gpu.driver));
  return {join(found, "; "), gpus.problem};
}

// Checkout that CMake says the build in this folder is from; "" when it is no build.
fs::path checkout_of(const fs::path& build_folder) {
  constexpr std::string_view key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  const std::string cache = read_if_readable(build_folder / "CMakeCache.txt");
  for (const std::string_view line : split(cache, '\n'))
    if (line.starts_with(key)) return line.substr(key.size());
  return {};
}

void look_at_isolation(Equipment& equipment) {
  equipment.isolation = best_isolation();
  if (equipment.isolation != Isolation::namespaces)
    equipment.no_higher_isolation = missing_for(
        equipment.isolation == Isolation::landlock ? Isolation::namespaces : Isolation::landlock);
  equipment.namespace_settings = settings_for_namespaces();
  equipment.cgroups = find_cgroups();
}

}  // namespace

std::string header_version(std::string_view header, std::string_view prefix) {
  std::vector<std::string> numbers;
  for (const char* const part : {"MAJOR", "MINOR", "PATCH"}) {
    const std::string define = fmt::format("#define {}_{} ", prefix, part);
    const auto at = header.find(define);
    if (at == header.npos) return "";
    const std::string_view rest = header.substr(at + define.size());
    numbers.emplace_back(trim(rest.substr(0, rest.find('\n'))));
  }
  return join(numbers, ".");
}

Equipment find_equipment(const fs::path& programs, Cache& builds, Cache& answers) {
  Equipment equipment;
  Toolchain toolchain = system_toolchain();
  toolchain.cache = &builds;
  equipment.compiler = find_compiler(toolchain);
  equipment.chosen_compiler = toolchain.chosen_compiler;
  equipment.small_header = find_header(toolchain.include_dirs, "kbench_ffi.h", "");
  equipment.tvm_ffi = find_header(toolchain.include_dirs, "tvm/ffi/c_api.h", "TVM_FFI_VERSION");
  equipment.torch_headers = find_header(toolchain.torch_include_dirs, "torch/extension.h", "");
  equipment.worker = tool_at(programs / worker_program(Engine::kbench));
  equipment.google_worker = tool_at(programs / worker_program(Engine::google_benchmark));
  equipment.chosen_torch = variable("KBENCH_TORCH");
  const fs::path torch = programs / "kbench-torch";
  equipment.torch = find_evaluator(torch, EvaluatorChoice::libtorch, torch, answers);
  equipment.python = find_evaluator(torch, EvaluatorChoice::python, python_program(), answers);
  equipment.gpu = find_gpu(programs);
  equipment.nvcc = tool_at(toolchain.cuda.nvcc);
  if (equipment.nvcc.found.empty()) equipment.nvcc.problem = cuda_unavailable(toolchain);
  equipment.nvrtc = tool_at(toolchain.cuda.nvrtc);
  if (equipment.nvrtc.found.empty()) equipment.nvrtc.problem = nvrtc_unavailable(toolchain);
  const Cupti cupti = find_cupti();
  equipment.cupti = {cupti.library, cupti.problem};
  equipment.compute_sanitizer = tool_at(toolchain.cuda.compute_sanitizer);
  equipment.ncu = tool_at(toolchain.cuda.ncu);
  equipment.emulation = tool_at(emulation_kit().library);
  equipment.triton = find_triton();
  look_at_isolation(equipment);
  equipment.state = machine_state();
  equipment.cores = core_count();
  equipment.checkout = checkout_of(programs.parent_path());
  if (!equipment.checkout.empty()) equipment.build_folder = programs.parent_path();
  const fs::path shared = installation_of(torch).headers.parent_path();
  if (is_there(shared / "requirements-torch.txt")) equipment.requirements = shared;
  if (is_there(programs.parent_path() / "pyvenv.cfg"))
    equipment.environment = programs.parent_path();
  equipment.has_apt = !find_program("apt-get").empty();
  equipment.is_root = ::geteuid() == 0;
  return equipment;
}

Environment describe_environment() {
  Environment environment;
  environment.hardware = cpu_model();
  environment.libs["kbench"] = KBENCH_VERSION;
  return environment;
}

std::string_view kbench_version() { return KBENCH_VERSION; }

std::string timestamp_now() {
  const auto now = std::chrono::system_clock::now();
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() %
      1'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(now)), micros);
}

}  // namespace kbench
