// Launches: what a device refuses, and how blocks are spread over the processor's cores.
#pragma once

#include "emulate/runtime/machine.hpp"

namespace kbench_emulation {

std::uint32_t new_run();
// Dynamic shared memory that a kernel may have, as cudaFuncSetAttribute allowed it.
void allow_shared_memory(const void* kernel, std::size_t bytes);
// How many cores launches use: KBENCH_EMULATION_THREADS, or those that the process may.
unsigned core_count();
// So many blocks of that many threads, and bytes of shared memory, are on a device at once.
std::uint64_t resident_blocks(unsigned threads, std::size_t shared_bytes);
constexpr unsigned multiprocessors = 132;  // an H100's

}  // namespace kbench_emulation
