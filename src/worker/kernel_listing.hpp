// What a library registers that was built from the output of "kbench kernels codegen".
#pragma once

namespace kbench::worker {

constexpr const char* listing_is_good = "kernels";  // exec/registered_kernels.cpp wants it, too

// kbench-worker --kernels LIBRARY: loads it, and writes texts to descriptor 3, each ended by a 0
// byte: listing_is_good, or why there is no listing; then four of each kernel: operator, key (""
// for the default), the function as the generated source names it, place in the kernel yaml (""
// where either is unknown). Returns the exit status, 0 when all has been written.
int list_kernels(const char* library);

}  // namespace kbench::worker
