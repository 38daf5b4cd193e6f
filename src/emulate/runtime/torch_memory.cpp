// Memory that the host of a solution allocates by itself: include/kbench/emulation says whose.
#include <cstddef>

#include "emulate/runtime/region.hpp"

extern "C" __attribute__((visibility("default"))) void kbench_emulation_add_memory(
    const void* begin, std::size_t bytes) {
  kbench_emulation::add_region(begin, bytes, "a tensor of the solution",
                               kbench_emulation::Contents::written);
}

extern "C" __attribute__((visibility("default"))) void kbench_emulation_has_torch() {
  kbench_emulation::let_host_reach_all();
}

extern "C" __attribute__((visibility("default"))) void kbench_emulation_remove_memory(
    const void* begin) {
  kbench_emulation::remove_region(begin);
}
