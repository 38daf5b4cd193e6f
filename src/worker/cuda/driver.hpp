// Entry points of NVIDIA's driver that kbench-worker-cuda calls, opened when it runs: it starts and
// says why where there is no driver. Source: "CUDA Driver API" 13.
#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>

// Declarations from cudaProfiler.h, which not every package of headers has.
extern "C" {
CUresult CUDAAPI cuProfilerStart();
CUresult CUDAAPI cuProfilerStop();
}

namespace kbench::cuda {

// Functions by the names that the driver exports: those of its headers are macros for the newest
// ones, which older drivers lack.
#define KBENCH_CUDA_CALLS(CALL)                                                      \
  CALL(init, cuInit, "cuInit")                                                       \
  CALL(driver_version, cuDriverGetVersion, "cuDriverGetVersion")                     \
  CALL(error_name, cuGetErrorName, "cuGetErrorName")                                 \
  CALL(error_text, cuGetErrorString, "cuGetErrorString")                             \
  CALL(device_count, cuDeviceGetCount, "cuDeviceGetCount")                           \
  CALL(device, cuDeviceGet, "cuDeviceGet")                                           \
  CALL(device_name, cuDeviceGetName, "cuDeviceGetName")                              \
  CALL(device_uuid, cuDeviceGetUuid, "cuDeviceGetUuid")                              \
  CALL(device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")               \
  CALL(device_memory, cuDeviceTotalMem, "cuDeviceTotalMem_v2")                       \
  CALL(retain_context, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")         \
  CALL(use_context, cuCtxSetCurrent, "cuCtxSetCurrent")                              \
  CALL(synchronize, cuCtxSynchronize, "cuCtxSynchronize")                            \
  CALL(set_limit, cuCtxSetLimit, "cuCtxSetLimit")                                    \
  CALL(reset_persisting, cuCtxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache") \
  CALL(allocate, cuMemAlloc, "cuMemAlloc_v2")                                        \
  CALL(allocate_host, cuMemHostAlloc, "cuMemHostAlloc")                              \
  CALL(host_address, cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2")      \
  CALL(copy_to_device, cuMemcpyHtoD, "cuMemcpyHtoD_v2")                              \
  CALL(copy_to_host, cuMemcpyDtoH, "cuMemcpyDtoH_v2")                                \
  CALL(copy_there, cuMemcpyDtoD, "cuMemcpyDtoD_v2")                                  \
  CALL(fill, cuMemsetD8Async, "cuMemsetD8Async")                                     \
  CALL(wait_value, cuStreamWaitValue32, "cuStreamWaitValue32_v2")                    \
  CALL(create_event, cuEventCreate, "cuEventCreate")                                 \
  CALL(record_event, cuEventRecord, "cuEventRecord")                                 \
  CALL(elapsed_ms, cuEventElapsedTime, "cuEventElapsedTime")                         \
  CALL(load_module, cuModuleLoadData, "cuModuleLoadData")                            \
  CALL(module_function, cuModuleGetFunction, "cuModuleGetFunction")                  \
  CALL(set_function_attribute, cuFuncSetAttribute, "cuFuncSetAttribute")             \
  CALL(parameter_info, cuFuncGetParamInfo, "cuFuncGetParamInfo")                     \
  CALL(launch_kernel, cuLaunchKernel, "cuLaunchKernel")                              \
  CALL(start_profiler, cuProfilerStart, "cuProfilerStart")                           \
  CALL(stop_profiler, cuProfilerStop, "cuProfilerStop")

struct Driver {
#define KBENCH_CUDA_MEMBER(name, function, symbol) decltype(&::function) name = nullptr;
  KBENCH_CUDA_CALLS(KBENCH_CUDA_MEMBER)
#undef KBENCH_CUDA_MEMBER
};

// Failed call of the driver, as text: "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access
// was encountered".
struct DeviceFailure : std::runtime_error {
  DeviceFailure(CUresult code, const std::string& text) : std::runtime_error(text), code(code) {}
  CUresult code;
};

// Opens `library`, "libcuda.so.1" or a path. Throws DeviceFailure: there is none, or it is too old.
Driver open_driver(const std::string& library);

// Returns the first visible device; its primary context, the one that candidates by the CUDA
// runtime use, becomes the thread's. Throws DeviceFailure.
CUdevice use_first_device(const Driver& driver);

// Throws DeviceFailure but for success; `what` names what was to be done.
void check(const Driver& driver, CUresult result, const char* what);

// Ranges that profilers of NVIDIA's show around a candidate's calls, with the label of these. The
// protocol between a program and the profiler is NVTX 3's ("NVTX", nvtxInitDefs.h), of which this
// is the part that is needed: its headers are in no package that kbench installs.

// Variables of the worker's environment that the judge sets, and that profilers set themselves.
constexpr const char* label_variable = "KBENCH_LABEL";
constexpr const char* injection_variable = "NVTX_INJECTION64_PATH";

class Nvtx {
 public:
  // Ranges are nothing where `label` or `library` is "", or the library is no profiler's.
  Nvtx(std::string label, const std::string& library);
  // Takes the label and the library from the environment.
  Nvtx();

  bool is_watched() const { return push_ != nullptr; }
  void push() const {
    if (push_ != nullptr) push_(label_.c_str());
  }
  void pop() const {
    if (push_ != nullptr) pop_();
  }

 private:
  std::string label_;
  int (*push_)(const char* message) = nullptr;
  int (*pop_)() = nullptr;
};

// Range that lasts as long as the object.
class NvtxRange {
 public:
  explicit NvtxRange(const Nvtx& nvtx) : nvtx_(nvtx) { nvtx_.push(); }
  ~NvtxRange() { nvtx_.pop(); }
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;

 private:
  const Nvtx& nvtx_;
};

}  // namespace kbench::cuda
