// SPDX-License-Identifier: Apache-2.0
// Stand-in for torch's header of this name: streams take turns in the order of their work.
#pragma once

#include <c10/core/Stream.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>

namespace c10::cuda {

class CUDAStream {
 public:
  explicit CUDAStream(cudaStream_t stream = nullptr) : stream_(stream) {}

  operator cudaStream_t() const { return stream_; }
  operator Stream() const { return unwrap(); }
  cudaStream_t stream() const { return stream_; }
  DeviceIndex device_index() const { return 0; }
  DeviceType device_type() const { return DeviceType::CPU; }
  Device device() const { return Device(DeviceType::CPU, 0); }
  StreamId id() const { return reinterpret_cast<StreamId>(stream_); }
  Stream unwrap() const { return Stream(Stream::UNSAFE, device(), id()); }
  bool query() const { return true; }
  void synchronize() const { C10_CUDA_CHECK(cudaStreamSynchronize(stream_)); }
  bool operator==(const CUDAStream& other) const { return stream_ == other.stream_; }
  bool operator!=(const CUDAStream& other) const { return stream_ != other.stream_; }

 private:
  cudaStream_t stream_;
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return CUDAStream(); }
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return CUDAStream(); }
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1) { return CUDAStream(); }
inline CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex) {
  return CUDAStream(stream);
}
inline void setCurrentCUDAStream(CUDAStream) {}

}  // namespace c10::cuda

namespace at::cuda {
using namespace c10::cuda;
}  // namespace at::cuda
