// CUDA's runtime API on this machine: errors, properties, streams and events.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>

#include "emulate/runtime/launch.hpp"
#include "emulate/runtime/order.hpp"

namespace {

constexpr int driver_version = 13000;
thread_local cudaError_t last_error __attribute__((tls_model("initial-exec"))) = cudaSuccess;

cudaError_t noted(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

struct ErrorText {
  cudaError_t error;
  const char *name, *text;
};
#define KB_ERROR(name, text) \
  { name, #name, text }
constexpr ErrorText error_texts[] = {
    KB_ERROR(cudaSuccess, "no error"),
    KB_ERROR(cudaErrorInvalidValue, "invalid argument"),
    KB_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    KB_ERROR(cudaErrorInitializationError, "initialization error"),
    KB_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    KB_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    KB_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    KB_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    KB_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    KB_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    KB_ERROR(cudaErrorNotReady, "device not ready"),
    KB_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    KB_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    KB_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    KB_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    KB_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    KB_ERROR(cudaErrorNotSupported, "operation not supported"),
};

struct Attribute {
  cudaDeviceAttr which;
  int value;
  int cudaDeviceProp::*property = nullptr;  // property of the same meaning
};
constexpr Attribute attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024, &cudaDeviceProp::maxThreadsPerBlock},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 0x7fffffff},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, 48 << 10},
    {cudaDevAttrTotalConstantMemory, 64 << 10},
    {cudaDevAttrWarpSize, 32, &cudaDeviceProp::warpSize},
    {cudaDevAttrMaxRegistersPerBlock, 65536, &cudaDeviceProp::regsPerBlock},
    {cudaDevAttrClockRate, 1980000},
    {cudaDevAttrMultiProcessorCount, kbench_emulation::multiprocessors,
     &cudaDeviceProp::multiProcessorCount},
    {cudaDevAttrL2CacheSize, 50 << 20, &cudaDeviceProp::l2CacheSize},
    {cudaDevAttrMaxThreadsPerMultiProcessor, 2048, &cudaDeviceProp::maxThreadsPerMultiProcessor},
    {cudaDevAttrComputeCapabilityMajor, 9, &cudaDeviceProp::major},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 << 10},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536, &cudaDeviceProp::regsPerMultiprocessor},
    {cudaDevAttrCooperativeLaunch, 1, &cudaDeviceProp::cooperativeLaunch},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, 227 << 10},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 32, &cudaDeviceProp::maxBlocksPerMultiProcessor},
};

cudaError_t made(void** handle) {
  static std::uintptr_t last = 16;
  *handle = reinterpret_cast<void*>(++last);
  return cudaSuccess;
}

}  // namespace

struct CUevent_st {
  std::chrono::steady_clock::time_point at;
  bool is_recorded = false;
};

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() { return last_error; }
const char* cudaGetErrorString(cudaError_t error) {
  for (const ErrorText& row : error_texts)
    if (row.error == error) return row.text;
  return "unrecognized error code";
}
const char* cudaGetErrorName(cudaError_t error) {
  for (const ErrorText& row : error_texts)
    if (row.error == error) return row.name;
  return "unrecognized error code";
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return noted(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return noted(cudaErrorInvalidDevice);
  for (const Attribute& row : attributes) {
    if (row.which != attribute) continue;
    *value = row.value;
    return cudaSuccess;
  }
  return noted(cudaErrorInvalidValue);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return noted(cudaErrorInvalidDevice);
  *p = cudaDeviceProp{};
  std::snprintf(p->name, sizeof p->name, "kbench emulation");
  for (const Attribute& row : attributes)
    if (row.property != nullptr) p->*row.property = row.value;
  p->totalGlobalMem = std::size_t{80} << 30;
  p->sharedMemPerBlock = 48 << 10;
  p->totalConstMem = 64 << 10;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->sharedMemPerMultiprocessor = 228 << 10;
  p->sharedMemPerBlockOptin = 227 << 10;
  p->reservedSharedMemPerBlock = 1 << 10;
  p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
  p->memoryBusWidth = 5120;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* version) {
  *version = driver_version;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return made(reinterpret_cast<void**>(stream));
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) {
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*work)(void*), void* data) {
  work(data);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->at = std::chrono::steady_clock::now();
  event->is_recorded = true;
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  if (!begin->is_recorded || !end->is_recorded) return noted(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - begin->at).count();
  return cudaSuccess;
}

namespace kbench_emulation {

void note_launch_error(int error) { noted(static_cast<cudaError_t>(error)); }
cudaError_t took_launch(int error) { return noted(static_cast<cudaError_t>(error)); }

cudaError_t set_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) > most_shared_bytes)
    return noted(cudaErrorInvalidValue);
  allow_shared_memory(kernel, static_cast<std::size_t>(value));
  return cudaSuccess;
}

cudaError_t get_attributes(cudaFuncAttributes* found, const void*) {
  *found = cudaFuncAttributes{};
  found->maxThreadsPerBlock = 1024;
  found->ptxVersion = found->binaryVersion = 90;
  found->maxDynamicSharedSizeBytes = 48 << 10;
  return cudaSuccess;
}

cudaError_t blocks_per_multiprocessor(int* blocks, int threads, size_t shared_bytes) {
  if (threads < 1 || threads > 1024) return noted(cudaErrorInvalidValue);
  *blocks = static_cast<int>(resident_blocks(static_cast<unsigned>(threads), shared_bytes) /
                             multiprocessors);
  return cudaSuccess;
}

Config config_of(const cudaLaunchConfig_t& config) {
  Config result(config.gridDim, config.blockDim, config.dynamicSmemBytes, config.stream);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative)
      result.cooperative = attribute.val.cooperative != 0;
    const auto& cluster = attribute.val.clusterDim;
    if (attribute.id == cudaLaunchAttributeClusterDimension &&
        cluster.x * cluster.y * cluster.z > 1)
      not_emulated("a launch with clusters of blocks");
  }
  return result;
}

// Orders what this thread did before, and all those that it waited for.
void fence(Scope) {
  if (now != nullptr) note_fence(*now);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

uint64_t clock_count() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace kbench_emulation
