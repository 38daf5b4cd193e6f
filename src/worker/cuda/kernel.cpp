#include "worker/cuda/kernel.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/file.hpp"
#include "build/gpu/architecture.hpp"

namespace kbench::cuda {

using worker::Control;

namespace {

// Returns the architecture of the first device, the one that the worker sees.
std::string architecture_of(const Driver& driver) {
  CUdevice device = 0;
  check(driver, driver.device(&device, 0), "the first device");
  std::string name = "sm_";
  for (const CUdevice_attribute which : {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                                         CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR}) {
    int number = 0;
    check(driver, driver.device_attribute(&number, which, device), "its compute capability");
    name += std::to_string(number);
  }
  return name;
}

}  // namespace

const Cubin* code_for(const std::vector<Cubin>& cubins, const std::string& device) {
  const auto found = std::find_if(cubins.rbegin(), cubins.rend(), [&](const Cubin& one) {
    return gpu::runs_on(one.architecture, device);
  });
  return found == cubins.rend() ? nullptr : &*found;
}

Kernel::Kernel(const Driver& driver, const Control& control)
    : driver_(driver),
      control_(control),
      has_shared_memory_(control.launch.shared_bytes == 0),
      parameters_(control) {
  load(read_file(control.library));
  parameters_.check(parameter_sizes());
}

void Kernel::load(const std::string& file) {
  const auto cubins = unpack(file);
  if (!cubins || cubins->empty()) throw std::runtime_error("the kernel's code cannot be read");
  const std::string device = architecture_of(driver_);
  const Cubin* const code = code_for(*cubins, device);
  if (code == nullptr) throw std::runtime_error("it was built for other devices than " + device);
  check(driver_, driver_.load_module(&module_, code->code.data()), "the kernel's code");
  check(driver_, driver_.module_function(&function_, module_, control_.symbol), "the kernel");
}

// Asks for a kernel's shared memory, as it must beyond 48 KiB ("CUDA C++ Programming Guide" 13,
// Shared Memory). A refusal is an error of the call.
void Kernel::take_shared_memory() {
  if (has_shared_memory_) return;
  const auto bytes = static_cast<int>(control_.launch.shared_bytes);
  const std::string wanted = std::to_string(bytes) + " bytes of shared memory a block";
  check(driver_,
        driver_.set_function_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       bytes),
        wanted.c_str());
  has_shared_memory_ = true;
}

// Returns as many as the driver tells, and at most one more than the kernel gets.
std::vector<std::size_t> Kernel::parameter_sizes() const {
  std::vector<std::size_t> sizes;
  std::size_t offset = 0, bytes = 0;
  while (sizes.size() <= parameters_.count() &&
         driver_.parameter_info(function_, sizes.size(), &offset, &bytes) == CUDA_SUCCESS)
    sizes.push_back(bytes);
  return sizes;
}

void Kernel::launch(const TVMFFIAny* arguments) {
  const worker::KernelLaunch& launch = control_.launch;
  void** const parameters = parameters_.of_call(arguments);
  const auto& [x, y, z] = launch.grid;
  if (x == 0 || y == 0 || z == 0) return;
  take_shared_memory();
  check(driver_,
        driver_.launch_kernel(function_, x, y, z, launch.block[0], launch.block[1], launch.block[2],
                              launch.shared_bytes, nullptr, parameters, nullptr),
        "the launch");
}

int Kernel::call(void* self, const TVMFFIAny* arguments, std::int32_t /*count*/,
                 TVMFFIAny* /*result*/) try {
  static_cast<Kernel*>(self)->launch(arguments);
  return 0;
} catch (const DeviceFailure& failure) {
  TVMFFIErrorSetRaisedFromCStr("CUDA error", failure.what());
  return -1;
}

std::optional<worker::EntryPoint> load_kernel(const Driver& driver, Control& control) try {
  static auto* const kernel = new Kernel(driver, control);  // one a process, to its end
  return kernel->entry();
} catch (const std::exception& error) {
  worker::say(control, worker::Answer::load_failed, error.what());
  return std::nullopt;
}

}  // namespace kbench::cuda
