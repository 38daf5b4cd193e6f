// A kernel by itself: values of its parameters, and solutions in CUDA that were built for the
// processor (docs/emulation.md).
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

// Parameters that Control::launch lists.
class KernelParameters {
 public:
  explicit KernelParameters(const Control& control);

  std::size_t count() const { return values_.size(); }
  // `sizes`: bytes of each parameter that the kernel has, in order. Throws std::runtime_error where
  // those it gets differ: a launch copies as many bytes, whatever is there.
  void check(const std::vector<std::size_t>& sizes) const;
  // Returns a pointer for each parameter of a call with these arguments: addresses and scalars may
  // change between calls.
  void** of_call(const TVMFFIAny* arguments);

 private:
  const Control& control_;
  std::vector<std::uint64_t> values_;
  std::vector<void*> pointers_;
};

struct EntryPoint;

// Memory that kernels may see, laid out as kbench_emulation_region of include/kbench/emulation.
struct EmulatedRegion {
  const void* begin;
  std::uint64_t bytes;
  const char* name;
  std::int32_t writable;  // 0 or 1, plus 2 where its pages are its own
};

// Hook before each call: the memory, and the seed from which the order of blocks, warps and lanes
// follows; after the call with UINT64_MAX: tensors are open to the worker.
using EmulationCall = void (*)(const EmulatedRegion* regions, std::size_t count,
                               std::uint64_t seed);

// Returns that of a loaded library; null where it has none.
EmulationCall emulation_call(void* library);
// Finds it by the library's path; null also where the library is not loaded.
EmulationCall emulation_call(const char* path);

// Returns the kernel of such a library. Nothing leaves the reason in the control block.
std::optional<EntryPoint> emulated_kernel(void* library, Control& control);

}  // namespace kbench::worker
