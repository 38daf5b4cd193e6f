// A solution's sources: on disk, and as what a build rests on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/builder.hpp"

namespace kbench {

void write_sources(const Solution& solution, const std::filesystem::path& folder);

// The source as an argument of a compiler, which takes no option for it whatever its name.
std::string argument_of(const SourceFile& source);

// What it is compiled with beside kbench's own flags: its flags, and a macro for each of the values
// that were chosen for it.
std::vector<std::string> solution_flags(const Solution& solution);

// Adds the arguments `more` to a command or its flags.
void add_arguments(std::vector<std::string>& to, const std::vector<std::string>& more);

// SHA-256 over the sources, the command and the identity of the compiler and of the headers it is
// given.
std::string build_key(const Solution& solution, const Toolchain& toolchain,
                      const std::filesystem::path& compiler,
                      const std::vector<std::string>& command);

// The folder of this run for the build with that key.
std::filesystem::path build_folder(const Toolchain& toolchain, const std::string& key);

}  // namespace kbench
