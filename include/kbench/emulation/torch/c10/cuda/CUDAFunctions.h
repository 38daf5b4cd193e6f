// SPDX-License-Identifier: Apache-2.0
// Stand-in for torch's header of this name: there is one device.
#pragma once

#include <c10/core/Device.h>
#include <cuda_runtime.h>

namespace c10::cuda {

inline DeviceIndex device_count() noexcept { return 1; }
inline DeviceIndex device_count_ensure_non_zero() { return 1; }
inline DeviceIndex current_device() { return 0; }
inline void set_device(DeviceIndex) {}
inline void device_synchronize() { cudaDeviceSynchronize(); }

}  // namespace c10::cuda
