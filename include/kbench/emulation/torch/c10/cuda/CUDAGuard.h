// SPDX-License-Identifier: Apache-2.0
// Stand-in for torch's header of this name: there is one device, which is always the current one.
#pragma once

#include <c10/core/Device.h>
#include <c10/cuda/CUDAStream.h>

#include <optional>

namespace c10::cuda {

struct CUDAGuard {
  explicit CUDAGuard(DeviceIndex) {}
  explicit CUDAGuard(Device) {}
  void set_device(Device) {}
  void set_index(DeviceIndex) {}
  Device original_device() const { return Device(DeviceType::CPU, 0); }
  Device current_device() const { return Device(DeviceType::CPU, 0); }
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<Device>) {}
  explicit OptionalCUDAGuard(std::optional<DeviceIndex>) {}
  void set_device(Device) {}
  void set_index(DeviceIndex) {}
  void reset() {}
};
struct CUDAStreamGuard {
  explicit CUDAStreamGuard(Stream) {}
  void reset_stream(Stream) {}
};
struct OptionalCUDAStreamGuard {
  OptionalCUDAStreamGuard() = default;
  explicit OptionalCUDAStreamGuard(std::optional<Stream>) {}
};

}  // namespace c10::cuda
