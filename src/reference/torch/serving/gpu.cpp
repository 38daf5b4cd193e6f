#include "reference/torch/serving/gpu.hpp"

#ifdef KBENCH_HAS_CUDA
#include "worker/cuda/hardware.hpp"
#endif

namespace kbench {

std::unique_ptr<worker::Hardware> gpu_hardware(const HostGpu& gpu) {
  if (gpu.torch_device.empty()) return nullptr;
#ifdef KBENCH_HAS_CUDA
  return std::make_unique<cuda::GpuHardware>(gpu.driver, gpu.cupti);
#else
  return nullptr;
#endif
}

}  // namespace kbench
