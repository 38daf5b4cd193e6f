// Launches: a device's refusals, and the spread of blocks over the processor's cores.
#pragma once

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

std::uint32_t new_run();
// Allows a kernel so much dynamic shared memory, as cudaFuncSetAttribute does.
void allow_shared_memory(const void* kernel, std::size_t bytes);
// Returns the cores of launches: KBENCH_EMULATION_THREADS, or those that the process may use.
unsigned core_count();
// Returns how many blocks of so many threads, and shared bytes, are on a device at once.
std::uint64_t resident_blocks(unsigned threads, std::size_t shared_bytes);
constexpr unsigned multiprocessors = 132;  // number on an H100

}  // namespace kbench_emulation
