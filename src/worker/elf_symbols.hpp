// The symbols that a shared library shows to others, read from its file.
// Source: the System V ABI, chapter 4 (elf(5)).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbench::worker {

struct ElfSymbol {
  std::string name;
  bool is_defined = false;  // else it is wanted of another library
};

// None where the file is no ELF of 64 bits, or is broken.
std::vector<ElfSymbol> dynamic_symbols(std::string_view file);

}  // namespace kbench::worker
