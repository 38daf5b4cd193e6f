#include "worker/cuda/driver.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/system.hpp"

namespace kbench::cuda {

Driver open_driver(const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr)
    throw DeviceFailure(CUDA_ERROR_NO_DEVICE,
                        "NVIDIA's driver cannot be loaded: " + std::string(::dlerror()));
  Driver driver;
  const auto find = [handle]<class F>(F& function, const char* symbol) {
    function = reinterpret_cast<F>(::dlsym(handle, symbol));
    if (function == nullptr)
      throw DeviceFailure(CUDA_ERROR_NOT_FOUND,
                          std::string("NVIDIA's driver is too old: it has no ") + symbol);
  };
#define KBENCH_CUDA_FIND(name, function, symbol) find(driver.name, symbol);
  KBENCH_CUDA_CALLS(KBENCH_CUDA_FIND)
#undef KBENCH_CUDA_FIND
  return driver;
}

CUdevice use_first_device(const Driver& driver) {
  check(driver, driver.init(0), "cuInit");
  CUdevice device = 0;
  check(driver, driver.device(&device, 0), "the first device");
  CUcontext context = nullptr;
  check(driver, driver.retain_context(&context, device), "the device's context");
  check(driver, driver.use_context(context), "the device's context");
  return device;
}

void check(const Driver& driver, CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  const char* text = nullptr;
  driver.error_name(result, &name);
  driver.error_text(result, &text);
  std::string message = std::string(what) + ": ";
  message += name != nullptr ? name : "error";
  message += " (" + std::to_string(static_cast<int>(result)) + ")";
  if (text != nullptr) message += std::string(": ") + text;
  throw DeviceFailure(result, message);
}

namespace {

using Function = void (*)();

// Numbers that NVTX gives its tables.
constexpr std::uint32_t callbacks_table = 1, version_table = 3;
constexpr std::uint32_t nvtx_version = 3;
constexpr std::size_t core_module = 1, range_push_a = 9, range_pop = 11;
// The number of functions of each module, plus one. Profilers refuse whoever lacks any of them.
constexpr unsigned sizes[] = {0, 16, 9, 15, 7, 16, 7};
constexpr std::size_t modules = std::size(sizes), most_functions = 16;

// Slots to which the tables lead, for the profiler's functions.
Function functions[modules][most_functions] = {};
Function* tables[modules][most_functions + 1] = {};

int module_table(int module, Function*** table, unsigned* size) {
  if (module < 1 || module >= static_cast<int>(modules)) return 0;
  const auto which = static_cast<std::size_t>(module);
  for (std::size_t i = 1; i < sizes[which]; ++i) tables[which][i] = &functions[which][i];
  if (size != nullptr) *size = sizes[which];
  if (table != nullptr) *table = tables[which];
  return 1;
}

void set_version(std::uint32_t) {}

struct Callbacks {
  std::size_t bytes = sizeof(Callbacks);
  int (*module_table)(int module, Function*** table, unsigned* size) = &kbench::cuda::module_table;
};
struct Version {
  std::size_t bytes = sizeof(Version);
  std::uint32_t version = nvtx_version;
  std::uint32_t reserved = 0;
  void (*set_version)(std::uint32_t version) = &kbench::cuda::set_version;
};

const void* export_table(std::uint32_t which) {
  static constexpr Callbacks callbacks;
  static constexpr Version version;
  if (which == callbacks_table) return &callbacks;
  return which == version_table ? &version : nullptr;
}

}  // namespace

Nvtx::Nvtx(std::string label, const std::string& library) : label_(std::move(label)) {
  if (label_.empty() || library.empty()) return;
  void* const handle = ::dlopen(library.c_str(), RTLD_LAZY);
  if (handle == nullptr) return;
  using Begin = int (*)(const void* (*export_table)(std::uint32_t which));
  const auto begin = reinterpret_cast<Begin>(::dlsym(handle, "InitializeInjectionNvtx2"));
  if (begin == nullptr || begin(&export_table) == 0) return;
  const auto& core = functions[core_module];
  if (core[range_push_a] == nullptr || core[range_pop] == nullptr) return;
  push_ = reinterpret_cast<int (*)(const char*)>(core[range_push_a]);
  pop_ = reinterpret_cast<int (*)()>(core[range_pop]);
}

Nvtx::Nvtx() : Nvtx(variable(label_variable), variable(injection_variable)) {}

}  // namespace kbench::cuda
