// What tests and their candidates tell the fake driver, and what it remembers. libcuda.so.1 of
// tests/cuda/fake has these beside the entry points of NVIDIA's that kbench calls: memory is the
// host's, work on streams is done in order when somebody waits for it, on a clock of its own.
#pragma once

#include <cstdint>

extern "C" {

// Work that takes `nanoseconds` of the device's clock; below 0: as long as it really takes. Stream
// 0 is the default one; others wait for nothing but their own.
void fake_launch(void (*work)(void*), void* argument, double nanoseconds, int stream);
// As a candidate does that waits for the device by itself.
int fake_synchronize();
// The next wait for the device, and every call after it, gives this CUresult. Work may call it.
void fake_break(int error);
// Memory that can still be had, bytes.
void fake_set_free_memory(std::uint64_t bytes);
// What was called and done so far, a word each, blanks between: "fill wait event work event".
const char* fake_log();
void fake_reset();
}
