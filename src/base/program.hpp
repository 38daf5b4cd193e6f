// Programs on this machine.
#pragma once

#include <filesystem>
#include <string>

namespace kbench {

// The program of that name, as a shell would find it by PATH; "" where there is none.
std::filesystem::path find_program(const std::string& name);

// PATH without the folders that depend on where one stands, which may be a stranger's, or where
// programs are on every machine: of the environment that a program is started with.
std::string search_path();

}  // namespace kbench
