// Compiled form of one kernel: its machine code for each architecture, in one file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct Cubin {
  std::string architecture;  // "sm_90"
  std::string code;          // ELF
};

// A line "ARCHITECTURE BYTES" of each, an empty line, then all of the code.
std::string pack(const std::vector<Cubin>& cubins);

// Returns nothing where the file is not as pack() makes it.
std::optional<std::vector<Cubin>> unpack(std::string_view file);

}  // namespace kbench
