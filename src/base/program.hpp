// Programs on this machine.
#pragma once

#include <filesystem>
#include <string>

namespace kbench {

// The program of that name, as a shell would find it by PATH; "" where there is none.
std::filesystem::path find_program(const std::string& name);

}  // namespace kbench
