// Loads and stores of a kernel whose lanes ask for places that memory cannot serve together.
#pragma once

#include <string>
#include <vector>

#include "gpu/sass.hpp"

namespace kbench::gpu {

struct Access {
  const Instruction* instruction = nullptr;  // in the code
  bool is_shared = false;                    // memory of a block; else of the device
  // How many times what would be enough: passes over the banks of shared memory ("32-way bank
  // conflict"), or sectors of 32 bytes of the device's.
  int times = 1;
};

// Returns the accesses that take at least twice as much as they need where a warp has 32 threads
// that follow each other in x, as far as it can be read off the code. Source: "CUDA C++ Best
// Practices Guide", coalesced access to global memory; shared memory and memory banks.
std::vector<Access> costly_accesses(const Code& code);

}  // namespace kbench::gpu
