// NVIDIA's architectures: which one a device has, and how many threads of a kernel fit on a
// multiprocessor of it. Limits: "CUDA C++ Programming Guide" 13, compute capabilities.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench::gpu {

// The limits of one multiprocessor, where nothing else is said.
struct Architecture {
  std::string_view name;  // "sm_90"
  int warps = 0;
  int blocks = 0;
  std::int64_t shared_bytes = 0;           // for all its blocks
  std::int64_t block_shared_bytes = 0;     // for one of them, at most
  std::int64_t reserved_shared_bytes = 0;  // of each block, for the system
};

std::span<const Architecture> architectures();

// "sm_90", "90", "sm_90a" (whose limits are those of sm_90); null of what is not known.
const Architecture* find_architecture(std::string_view name);

// What the devices have that a solution names as its target ("NVIDIA H100" → sm_90), each once, in
// their order. Names that say nothing about it ("cuda") are passed over.
std::vector<std::string> architectures_of(std::span<const std::string> hardware);

// Where none of these says which devices are meant: those names that seem to ("NVIDIA V100", and
// not "cuda"), by their index.
std::vector<std::size_t> unknown_devices(std::span<const std::string> hardware);

// Whether a solution with such targets is for a GPU: one of them is a device of NVIDIA's, or
// "cuda".
bool names_gpu(std::span<const std::string> hardware);

// Whether machine code for one runs on a device of another: on those of its generation that are no
// older; of "sm_90a" on that one alone. Source: "CUDA C++ Programming Guide" 13, Binary
// Compatibility.
bool runs_on(std::string_view code, std::string_view device);

// What a kernel takes of a multiprocessor.
struct KernelNeeds {
  int registers = 0;              // of a thread
  std::int64_t shared_bytes = 0;  // of a block, static and dynamic
};

// The share of the warps of a multiprocessor that are there at once when blocks have so many
// threads; 0 where not even one block fits.
double occupancy(const Architecture& architecture, const KernelNeeds& needs, int block_threads);

}  // namespace kbench::gpu
