// kbench-worker-cuda: kbench-worker whose candidates have their tensors on a GPU.
//   kbench-worker-cuda [DRIVER [CUPTI]]    as kbench-worker is started
//   kbench-worker-cuda --devices [DRIVER]  prints what GPUs there are, JSON
//   kbench-worker-cuda --probe [DRIVER]    whether the first one works; prints why it does not
// DRIVER is libcuda.so.1 by its name or path, CUPTI likewise libcupti.so.13.
#include <tvm/ffi/extra/c_env_api.h>

#include <string>

#include "worker/cuda/devices.hpp"
#include "worker/cuda/hardware.hpp"
#include "worker/cuda/kernel.hpp"
#include "worker/session.hpp"

// What candidates ask for: work goes to the default stream, behind which all others' but those wait
// that ask not to. The name is tvm-ffi's; candidates without its library find it here.
extern "C" __attribute__((visibility("default"))) TVMFFIStreamHandle TVMFFIEnvGetStream(
    std::int32_t /*device_type*/, std::int32_t /*device_id*/) {
  return nullptr;
}

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  const bool lists = first == "--devices", probes = first == "--probe";
  const int rest = lists || probes ? 2 : 1;
  const std::string driver = argc > rest ? argv[rest] : "libcuda.so.1";
  if (lists) return kbench::cuda::print_devices(driver);
  if (probes) return kbench::cuda::probe_device(driver);
  kbench::cuda::GpuHardware hardware(driver, argc > 2 ? argv[2] : "");
  const auto load = [&hardware](kbench::worker::Control& control) {
    return control.is_kernel != 0 ? kbench::cuda::load_kernel(hardware.driver(), control)
                                  : kbench::worker::load_library(control);
  };
  return kbench::worker::serve(load, {{}, &hardware});
}
