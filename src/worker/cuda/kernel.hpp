// A kernel by itself, launched as the control block says: the call of such a candidate.
#pragma once

#include <string>
#include <vector>

#include "base/cubins.hpp"
#include "worker/candidate.hpp"
#include "worker/cuda/driver.hpp"
#include "worker/kernel.hpp"

namespace kbench::cuda {

// Returns the last of those that run on a device of this architecture; null if there is none.
const Cubin* code_for(const std::vector<Cubin>& cubins, const std::string& device);

class Kernel {
 public:
  // Loads Control::library, with the sizes and parameters of Control::launch. Throws DeviceFailure
  // where the driver refuses, std::runtime_error where the parameters are not the kernel's.
  Kernel(const Driver& driver, const worker::Control& control);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  // Entry point that is valid as long as this lives.
  worker::EntryPoint entry() { return {&call, this}; }

 private:
  static int call(void* self, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny* result);
  void load(const std::string& file);
  void take_shared_memory();
  std::vector<std::size_t> parameter_sizes() const;
  void launch(const TVMFFIAny* arguments);

  const Driver& driver_;
  const worker::Control& control_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  bool has_shared_memory_ = false;
  worker::KernelParameters parameters_;
};

// Loads the kernel that the control block names; nothing leaves the reason there.
std::optional<worker::EntryPoint> load_kernel(const Driver& driver, worker::Control& control);

}  // namespace kbench::cuda
