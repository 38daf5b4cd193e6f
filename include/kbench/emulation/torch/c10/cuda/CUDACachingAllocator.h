// SPDX-License-Identifier: Apache-2.0
// Stand-in for torch's header of this name.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda::CUDACachingAllocator {

inline Allocator* get() { return GetAllocator(DeviceType::CPU); }
inline void* raw_alloc(size_t bytes) {
  void* memory = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&memory, bytes));
  return memory;
}
inline void* raw_alloc_with_stream(size_t bytes, cudaStream_t) { return raw_alloc(bytes); }
inline void raw_delete(void* memory) { C10_CUDA_CHECK(cudaFree(memory)); }
inline void emptyCache() {}
inline void recordStream(const DataPtr&, CUDAStream) {}

}  // namespace c10::cuda::CUDACachingAllocator
