// SPDX-License-Identifier: Apache-2.0
// Runtime API of CUDA, the host's side: memory, streams, events, properties of one device, an H100
// as far as limits go. Work is done at once, so that streams are always in order.
#ifndef KBENCH_EMULATION_CUDA_RUNTIME_API_H_
#define KBENCH_EMULATION_CUDA_RUNTIME_API_H_

#include <driver_types.h>
#include <host_defines.h>
#include <kbench_emulation.h>
#include <vector_types.h>

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};

#pragma GCC visibility push(hidden)  // a process may have the real library as well

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);

cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);

cudaError_t cudaMalloc(void** memory, size_t bytes);
cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocManaged(void** memory, size_t bytes, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocHost(void** memory, size_t bytes, unsigned flags = 0);
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned flags);
cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* memory);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
cudaError_t cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height);
cudaError_t cudaFree(void* memory);
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void* to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = nullptr);

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*work)(void*), void* data);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);

namespace kbench_emulation {

// Functions that know a kernel by its address.
cudaError_t set_attribute(const void* kernel, cudaFuncAttribute attribute, int value);
cudaError_t get_attributes(cudaFuncAttributes* attributes, const void* kernel);
cudaError_t blocks_per_multiprocessor(int* blocks, int threads, size_t shared_bytes);
cudaError_t copy_to_symbol(void* symbol, size_t size, const void* from, size_t bytes,
                           size_t offset);
cudaError_t copy_from_symbol(void* to, const void* symbol, size_t size, size_t bytes,
                             size_t offset);
cudaError_t took_launch(int error);
// Returns a launch's configuration; attributes that change a result are refused by name.
Config config_of(const cudaLaunchConfig_t& config);

}  // namespace kbench_emulation

#pragma GCC visibility pop

#define KB_TYPED(name, parameter, argument)                        \
  template <typename T>                                            \
  cudaError_t name(T** memory, size_t bytes parameter) {           \
    return name(reinterpret_cast<void**>(memory), bytes argument); \
  }
#define KB_AND ,
KB_TYPED(cudaMalloc, , )
KB_TYPED(cudaMallocAsync, KB_AND cudaStream_t stream, KB_AND stream)
KB_TYPED(cudaMallocManaged, KB_AND unsigned flags = cudaMemAttachGlobal, KB_AND flags)
KB_TYPED(cudaMallocHost, KB_AND unsigned flags = 0, KB_AND flags)
KB_TYPED(cudaHostAlloc, KB_AND unsigned flags, KB_AND flags)
#undef KB_AND
#undef KB_TYPED

template <typename K>
cudaError_t cudaFuncSetAttribute(K* kernel, cudaFuncAttribute attribute, int value) {
  return kbench_emulation::set_attribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <typename K>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, K* kernel) {
  return kbench_emulation::get_attributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <typename K>
cudaError_t cudaFuncSetCacheConfig(K*, cudaFuncCache) {
  return cudaSuccess;
}
template <typename K>
cudaError_t cudaFuncSetSharedMemConfig(K*, cudaSharedMemConfig) {
  return cudaSuccess;
}
template <typename K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, K*, int threads,
                                                          size_t shared_bytes) {
  return kbench_emulation::blocks_per_multiprocessor(blocks, threads, shared_bytes);
}
template <typename K>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* block, K*,
                                               size_t shared_bytes = 0, int limit = 0) {
  int blocks = 0;
  *block = limit > 0 && limit < 1024 ? limit : 1024;
  const cudaError_t error =
      kbench_emulation::blocks_per_multiprocessor(&blocks, *block, shared_bytes);
  *least_grid = blocks * 132;
  return error;
}

template <typename T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return kbench_emulation::copy_to_symbol(const_cast<void*>(static_cast<const void*>(&symbol)),
                                          sizeof symbol, from, bytes, offset);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return kbench_emulation::copy_from_symbol(to, &symbol, sizeof symbol, bytes, offset);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
template <typename T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  *address = const_cast<void*>(static_cast<const void*>(&symbol));
  return cudaSuccess;
}
template <typename T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
  *bytes = sizeof symbol;
  return cudaSuccess;
}

#define KB_LAUNCH_BY(name, is_cooperative)                                                     \
  template <typename... P>                                                                     \
  cudaError_t name(void (*kernel)(P...), dim3 grid, dim3 block, void** parameters,             \
                   size_t shared_bytes = 0, cudaStream_t stream = nullptr,                     \
                   const char* file = __builtin_FILE(), int line = __builtin_LINE()) {         \
    kbench_emulation::Config config(grid, block, shared_bytes, stream);                        \
    config.cooperative = is_cooperative;                                                       \
    return kbench_emulation::took_launch(                                                      \
        kbench_emulation::launch_with(config, kernel, parameters, "by " #name, {file, line})); \
  }
KB_LAUNCH_BY(cudaLaunchKernel, false)
KB_LAUNCH_BY(cudaLaunchCooperativeKernel, true)
#undef KB_LAUNCH_BY
template <typename... P, typename... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...),
                               A&&... arguments) {
  return kbench_emulation::took_launch(kbench_emulation::start(
      kbench_emulation::config_of(*config), "by cudaLaunchKernelEx", kbench_emulation::Place{},
      kbench_emulation::know(kbench_emulation::Tag(), kernel)(static_cast<A&&>(arguments)...)));
}

// Kernels that overlap others of their stream wait here for these to end, which they have done.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

#endif  // KBENCH_EMULATION_CUDA_RUNTIME_API_H_
