// Kernels that a library registers which was built from "kbench kernels codegen"'s output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbench::worker {

constexpr const char* listing_is_good = "kernels";  // exec/registered_kernels.cpp wants it, too

// kbench-worker --kernels LIBRARY: loads it, and writes texts to descriptor 3, each ended by a 0
// byte: listing_is_good, or why there is no listing; then four of each kernel: operator, key (""
// for the default), the function as the generated source names it, place in the kernel yaml (""
// where either is unknown). Returns the exit status, 0 when all has been written.
int list_kernels(const char* library);

// Symbols that a shared library shows to others, read from its file. Source: the System V ABI,
// chapter 4 (elf(5)).
struct ElfSymbol {
  std::string name;
  bool is_defined = false;  // false: wanted of another library
};

// Returns none where the file is no ELF of 64 bits, or is broken.
std::vector<ElfSymbol> dynamic_symbols(std::string_view file);

}  // namespace kbench::worker
