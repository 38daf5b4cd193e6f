#include "worker/cuda/driver.hpp"

#include <dlfcn.h>

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

}  // namespace kbench::cuda
