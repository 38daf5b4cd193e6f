// Functions by which tests and candidates steer the fake driver and read its log. libcuda.so.1 of
// tests/cuda/fake has these beside the entry points of NVIDIA's that kbench calls: memory is the
// host's, work on streams is done in order when somebody waits for it, on a clock of its own.
#pragma once

#include <cstdint>

extern "C" {

// Queues work that takes `nanoseconds` of the device's clock; below 0: as long as it really takes.
// Stream 0 is the default one; others wait for nothing but their own.
void fake_launch(void (*work)(void*), void* argument, double nanoseconds, int stream);
// Waits for the device, as a candidate does by itself.
int fake_synchronize();
// Makes the next wait for the device, and every later call, give this CUresult. Work may call it.
void fake_break(int error);
// Sets the memory that can still be had, bytes.
void fake_set_free_memory(std::uint64_t bytes);
// Returns what was called and done so far, a word each, blanks between: "fill event work event".
const char* fake_log();
void fake_reset();
}
