// SPDX-License-Identifier: Apache-2.0
// Stand-in for torch's header of this name.
#pragma once

#include <ATen/cuda/Exceptions.h>
#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

namespace at::cuda {

using namespace c10::cuda;

inline int64_t getNumGPUs() { return device_count(); }
inline bool is_available() { return true; }
inline int warp_size() { return 32; }
inline cudaDeviceProp* getDeviceProperties(c10::DeviceIndex) {
  static cudaDeviceProp properties = [] {
    cudaDeviceProp found{};
    C10_CUDA_CHECK(cudaGetDeviceProperties(&found, 0));
    return found;
  }();
  return &properties;
}
inline cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(0); }
inline bool canDeviceAccessPeer(c10::DeviceIndex, c10::DeviceIndex) { return false; }
inline c10::Allocator* getCUDADeviceAllocator() { return c10::GetAllocator(c10::DeviceType::CPU); }

}  // namespace at::cuda
