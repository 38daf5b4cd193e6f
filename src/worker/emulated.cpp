#include "worker/emulated.hpp"

#include <dlfcn.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <stdexcept>

#include "worker/candidate.hpp"
#include "worker/kernel_parameters.hpp"

namespace kbench::worker {
namespace {

constexpr const char* call_name = "kbench_emulation_call";
constexpr const char* kernel_name = "kbench_emulated_kernel";

// As include/kbench/emulation/kbench_emulated_kernel.h has it.
struct EmulatedEntry {
  std::size_t count;
  const std::size_t* sizes;
  const char* (*launch)(const std::uint32_t* grid, const std::uint32_t* block, std::uint32_t shared,
                        void* const* parameters);
};

// The process has one, to its end.
struct EmulatedKernel {
  const EmulatedEntry& entry;
  const Control& control;
  KernelParameters parameters;

  static int call(void* self, const TVMFFIAny* arguments, std::int32_t /*count*/,
                  TVMFFIAny* /*result*/) {
    auto& kernel = *static_cast<EmulatedKernel*>(self);
    const KernelLaunch& launch = kernel.control.launch;
    void** const parameters = kernel.parameters.of_call(arguments);
    const auto& [x, y, z] = launch.grid;
    if (x == 0 || y == 0 || z == 0) return 0;
    const char* const wrong =
        kernel.entry.launch(launch.grid, launch.block, launch.shared_bytes, parameters);
    if (wrong == nullptr) return 0;
    TVMFFIErrorSetRaisedFromCStr("CUDA error", wrong);
    return -1;
  }
};

}  // namespace

EmulationCall emulation_call(void* library) {
  return reinterpret_cast<EmulationCall>(::dlsym(library, call_name));
}

EmulationCall emulation_call(const char* path) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : emulation_call(library);
}

std::optional<EntryPoint> emulated_kernel(void* library, Control& control) try {
  const auto* const entry = static_cast<const EmulatedEntry*>(::dlsym(library, kernel_name));
  if (entry == nullptr) throw std::runtime_error("the library has no kernel");
  static EmulatedKernel* kernel = nullptr;
  kernel = new EmulatedKernel{*entry, control, KernelParameters(control)};
  kernel->parameters.check({entry->sizes, entry->sizes + entry->count});
  return EntryPoint{&EmulatedKernel::call, kernel};
} catch (const std::exception& error) {
  say(control, Answer::load_failed, error.what());
  return std::nullopt;
}

}  // namespace kbench::worker
