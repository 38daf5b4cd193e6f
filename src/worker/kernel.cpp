#include "worker/kernel.hpp"

#include <dlfcn.h>
#include <dlpack/dlpack.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "worker/candidate.hpp"

namespace kbench::worker {
namespace {

const Argument& argument_of(const Control& control, const Parameter& parameter) {
  return parameter.argument < control.input_count
             ? control.inputs[parameter.argument]
             : control.outputs[parameter.argument - control.input_count];
}

// Returns the bytes that a kernel's parameter has; a length also fits into fewer.
std::size_t size_of(const Control& control, const Parameter& parameter) {
  if (parameter.argument < 0) return sizeof parameter.length;
  const Argument& argument = argument_of(control, parameter);
  if (argument.kind == ArgumentKind::tensor) return sizeof(void*);
  return (std::size_t{argument.bits} + 7) / 8;
}

bool fits(const Control& control, const Parameter& parameter, std::size_t bytes) {
  const bool is_length = parameter.argument < 0;
  if (is_length && bytes == sizeof(std::int32_t))
    return parameter.length <= std::numeric_limits<std::int32_t>::max();
  return bytes == size_of(control, parameter);
}

std::string what(const Control& control, const Parameter& parameter) {
  if (parameter.argument < 0) return "the length " + std::to_string(parameter.length);
  const bool is_tensor = argument_of(control, parameter).kind == ArgumentKind::tensor;
  return is_tensor ? "a tensor's address" : "a scalar";
}

std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace

KernelParameters::KernelParameters(const Control& control)
    : control_(control),
      values_(static_cast<std::size_t>(control.launch.parameter_count)),
      pointers_(values_.size()) {}

void KernelParameters::check(const std::vector<std::size_t>& sizes) const {
  const std::size_t known = std::min(sizes.size(), count());
  for (std::size_t i = 0; i < known; ++i) {
    const Parameter& parameter = control_.launch.parameters[i];
    if (fits(control_, parameter, sizes[i])) continue;
    throw std::runtime_error("parameter " + std::to_string(i + 1) + " of the kernel has " +
                             bytes_text(sizes[i]) + ", and what it gets, " +
                             what(control_, parameter) + ", has " +
                             bytes_text(size_of(control_, parameter)));
  }
  if (sizes.size() != count())
    throw std::runtime_error(
        "the kernel has " + std::string(sizes.size() > count() ? "more than " : "") +
        std::to_string(known) + " parameters, and gets " + std::to_string(count()));
}

void** KernelParameters::of_call(const TVMFFIAny* arguments) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Parameter& parameter = control_.launch.parameters[i];
    pointers_[i] = &values_[i];
    if (parameter.argument < 0) {
      values_[i] = static_cast<std::uint64_t>(parameter.length);
    } else if (const TVMFFIAny& any = arguments[parameter.argument];
               any.type_index == kTVMFFIDLTensorPtr) {
      values_[i] = reinterpret_cast<std::uint64_t>(static_cast<const DLTensor*>(any.v_ptr)->data);
    } else {
      const auto& packed = control_.inputs[parameter.argument].packed;
      std::copy(std::begin(packed), std::end(packed), reinterpret_cast<std::byte*>(&values_[i]));
    }
  }
  return pointers_.data();
}

namespace {

constexpr const char* call_name = "kbench_emulation_call";
constexpr const char* kernel_name = "kbench_emulated_kernel";

// Layout that include/kbench/emulation/kbench_emulated_kernel.h declares.
struct EmulatedEntry {
  std::size_t count;
  const std::size_t* sizes;
  const char* (*launch)(const std::uint32_t* grid, const std::uint32_t* block, std::uint32_t shared,
                        void* const* parameters);
};

// Emulated kernel of a process, which has one, to its end.
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
