// NVIDIA's architectures: which one a device has, and how many threads of a kernel fit on a
// multiprocessor of it. Limits: "CUDA C++ Programming Guide" 13, compute capabilities.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench::gpu {

// Limits of one multiprocessor, unless said otherwise.
struct Architecture {
  std::string_view name;  // "sm_90"
  int warps = 0;
  int blocks = 0;
  std::int64_t shared_bytes = 0;           // shared memory of all its blocks
  std::int64_t block_shared_bytes = 0;     // limit of one block
  std::int64_t reserved_shared_bytes = 0;  // the system's part of each block
};

std::span<const Architecture> architectures();

// "sm_90", "90", "sm_90a" (whose limits are those of sm_90); null for an unknown name.
const Architecture* find_architecture(std::string_view name);

// Returns the architectures of the devices that a solution names as its target ("NVIDIA H100" →
// sm_90), each once, in their order. Names that say nothing about it ("cuda") are passed over.
std::vector<std::string> architectures_of(std::span<const std::string> hardware);

// Returns indices of names that seem to be devices ("NVIDIA V100", and not "cuda"), where none of
// the names is a known one.
std::vector<std::size_t> unknown_devices(std::span<const std::string> hardware);

// Tells whether a solution with such targets is for a GPU: one of them is a device of NVIDIA's, or
// "cuda".
bool names_gpu(std::span<const std::string> hardware);

// Tells whether machine code for one runs on a device of another: those of its generation that are
// no older; code of "sm_90a" runs on that one alone. Source: "CUDA C++ Programming Guide" 13,
// Binary Compatibility.
bool runs_on(std::string_view code, std::string_view device);

// Resources of a multiprocessor that a kernel takes.
struct KernelNeeds {
  int registers = 0;              // registers of a thread
  std::int64_t shared_bytes = 0;  // static and dynamic, of a block
};

// Returns the share of a multiprocessor's warps that are there at once when blocks have so many
// threads; 0 where not even one block fits.
double occupancy(const Architecture& architecture, const KernelNeeds& needs, int block_threads);

}  // namespace kbench::gpu
