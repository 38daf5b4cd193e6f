// Solutions in CUDA that were built for the processor, and what their runtime library is told:
// docs/emulation.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "problem/worker_protocol.hpp"

namespace kbench::worker {

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
