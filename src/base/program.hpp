// Programs on this machine.
#pragma once

#include <filesystem>
#include <string>

namespace kbench {

// Where the running program lies; what belongs to it lies beside it.
std::filesystem::path own_folder();

// The program of that name, as a shell would find it by PATH; "" where there is none.
std::filesystem::path find_program(const std::string& name);

}  // namespace kbench
