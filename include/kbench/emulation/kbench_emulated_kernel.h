// SPDX-License-Identifier: Apache-2.0
// Kernel by itself, as kbench-worker launches it: from outside of its library, with pointers to its
// arguments.
#pragma once

#include <cuda_runtime.h>

namespace kbench_emulation {

struct EmulatedEntry {
  size_t count;
  const size_t* sizes;  // size of each parameter, bytes
  // Returns CUDA's text where a device would refuse the launch, else null.
  const char* (*launch)(const uint32_t* grid, const uint32_t* block, uint32_t shared,
                        void* const* parameters);
};

template <auto kernel>
struct EntryOf;
template <typename... P, void (*kernel)(P...)>
struct EntryOf<kernel> {
  static constexpr size_t sizes[] = {sizeof(P)..., 0};
  static inline const char* name = "";  // name in messages
  static const char* launch(const uint32_t* grid, const uint32_t* block, uint32_t shared,
                            void* const* parameters) {
    // kbench-worker-cuda, too, asks the driver for as much shared memory as a launch needs.
    cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                         cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
    const Config config(dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]),
                        shared);
    note_launch_error(launch_with(config, kernel, parameters, name));
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
  }
  static constexpr EmulatedEntry entry = {sizeof...(P), sizes, &launch};
};

}  // namespace kbench_emulation

#define KBENCH_EMULATED_KERNEL(...)                                      \
  extern "C" {                                                           \
  extern const ::kbench_emulation::EmulatedEntry kbench_emulated_kernel; \
  const ::kbench_emulation::EmulatedEntry kbench_emulated_kernel =       \
      ::kbench_emulation::EntryOf<&__VA_ARGS__>::entry;                  \
  }                                                                      \
  static const bool kbench_emulated_kernel_has_name =                    \
      (::kbench_emulation::EntryOf<& __VA_ARGS__>::name = #__VA_ARGS__) != nullptr;
