// A kernel by itself: what it gets for its parameters, and solutions in CUDA that were built for
// the processor (docs/emulation.md).
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

// Parameters are what Control::launch says.
class KernelParameters {
 public:
  explicit KernelParameters(const Control& control);

  std::size_t count() const { return values_.size(); }
  // `sizes`: bytes of each parameter that the kernel has, in order. Throws std::runtime_error where
  // these are not what it gets: whoever launches it copies as many bytes, whatever is there.
  void check(const std::vector<std::size_t>& sizes) const;
  // What each parameter points to for a call with these arguments: addresses and scalars may change
  // between calls.
  void** of_call(const TVMFFIAny* arguments);

 private:
  const Control& control_;
  std::vector<std::uint64_t> values_;
  std::vector<void*> pointers_;
};

struct EntryPoint;

// Memory that kernels may see, as kbench_emulation_region of include/kbench/emulation has it.
struct EmulatedRegion {
  const void* begin;
  std::uint64_t bytes;
  const char* name;
  std::int32_t writable;  // 1; and 2 where its pages are its own
};

// Told before each call: the memory, and the seed from which the order of blocks, warps and lanes
// follows; after it UINT64_MAX, and tensors are open to the worker.
using EmulationCall = void (*)(const EmulatedRegion* regions, std::size_t count,
                               std::uint64_t seed);

// That of a library that is loaded; null where it has none.
EmulationCall emulation_call(void* library);
// Finds it by the library's path; null also where that is not loaded.
EmulationCall emulation_call(const char* path);

// The kernel by itself of such a library. Nothing leaves the reason in the control block.
std::optional<EntryPoint> emulated_kernel(void* library, Control& control);

}  // namespace kbench::worker
