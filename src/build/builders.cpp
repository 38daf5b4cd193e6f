#include <fmt/format.h>

#include "base/variable.hpp"
#include "build/builder.hpp"
#include "build/cpp.hpp"
#include "build/cuda.hpp"
#include "build/nvrtc.hpp"
#include "build/python.hpp"
#include "gpu/architecture.hpp"
#include "schema/names.hpp"

namespace kbench {
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

std::span<const Builder> builders() { return table; }

const Builder* find_builder(Language language) {
  for (const Builder& builder : table) {
    if (builder.language == language) return &builder;
  }
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

}  // namespace kbench
