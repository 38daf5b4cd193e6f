#include "cuda/kernel.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/file.hpp"
#include "gpu/architecture.hpp"

namespace kbench::cuda {

using worker::Argument;
using worker::ArgumentKind;
using worker::Control;
using worker::Parameter;

namespace {

const Argument& argument_of(const Control& control, const Parameter& parameter) {
  return parameter.argument < control.input_count
             ? control.inputs[parameter.argument]
             : control.outputs[parameter.argument - control.input_count];
}

// Bytes that a kernel's parameter has; a length also fits into fewer.
std::size_t size_of(const Control& control, const Parameter& parameter) {
  if (parameter.argument < 0) return sizeof parameter.length;
  const Argument& argument = argument_of(control, parameter);
  if (argument.kind == ArgumentKind::tensor) return sizeof(CUdeviceptr);
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

std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
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
      values_(static_cast<std::size_t>(control.launch.parameter_count)),
      parameters_(values_.size()) {
  load(read_file(control.library));
  check_parameters();
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

// Beyond 48 KiB a kernel has to ask ("CUDA C++ Programming Guide" 13, Shared Memory). That it gets
// none is an error of the call.
void Kernel::take_shared_memory() {
  if (has_shared_memory_) return;
  const auto bytes = static_cast<int>(control_.launch.shared_bytes);
  const std::string wanted = bytes_text(control_.launch.shared_bytes) + " of shared memory a block";
  check(driver_,
        driver_.set_function_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       bytes),
        wanted.c_str());
  has_shared_memory_ = true;
}

// The driver copies as many bytes as the kernel's parameter has, whatever is there.
void Kernel::check_parameters() {
  const worker::KernelLaunch& launch = control_.launch;
  const std::size_t count = parameters_.size();
  std::size_t offset = 0, bytes = 0, known = 0;
  while (driver_.parameter_info(function_, known, &offset, &bytes) == CUDA_SUCCESS) {
    if (known >= count) break;
    const Parameter& parameter = launch.parameters[known++];
    if (fits(control_, parameter, bytes)) continue;
    throw std::runtime_error("parameter " + std::to_string(known) + " of the kernel has " +
                             bytes_text(bytes) + ", and what it gets, " +
                             what(control_, parameter) + ", has " +
                             bytes_text(size_of(control_, parameter)));
  }
  const bool has_more = driver_.parameter_info(function_, count, &offset, &bytes) == CUDA_SUCCESS;
  if (known < count || has_more)
    throw std::runtime_error("the kernel has " + std::string(has_more ? "more than " : "") +
                             std::to_string(known) + " parameters, and gets " +
                             std::to_string(count));
}

// What is small enough to be done in each call: addresses and scalars may change between them.
void Kernel::launch(const TVMFFIAny* arguments) {
  const worker::KernelLaunch& launch = control_.launch;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& parameter = launch.parameters[i];
    parameters_[i] = &values_[i];
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
  const auto& [x, y, z] = launch.grid;
  if (x == 0 || y == 0 || z == 0) return;
  take_shared_memory();
  check(driver_,
        driver_.launch_kernel(function_, x, y, z, launch.block[0], launch.block[1], launch.block[2],
                              launch.shared_bytes, nullptr, parameters_.data(), nullptr),
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
  static auto* const kernel = new Kernel(driver, control);  // the process has one, to its end
  return kernel->entry();
} catch (const std::exception& error) {
  worker::say(control, worker::Answer::load_failed, error.what());
  return std::nullopt;
}

}  // namespace kbench::cuda
