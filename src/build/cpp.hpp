// C++ solutions with the tvm-ffi binding: one call of the system's compiler makes a shared library.
#pragma once

#include <string>
#include <vector>

#include "build/builder.hpp"
#include "build/compile.hpp"

namespace kbench {

std::string cpp_unavailable(const Toolchain& toolchain);
// Tries whether the compiler can make a library of a function that does nothing: "", or the reason
// that it cannot.
std::string compiler_defect(const Toolchain& toolchain);
// Throws std::runtime_error where a compiler that failed has a defect. Needs a toolchain with a
// cache and a folder for libraries.
BuildResult build_cpp(const Solution& solution, const Toolchain& toolchain);

std::vector<std::string> cpp_flags(const Solution& solution, const Toolchain& toolchain);
// Returns the compiler's arguments, sources relative to the folder it runs in; flags are those of
// FlashInfer-Bench's builder, then the solution's own.
std::vector<std::string> cpp_command(const Solution& solution, const Toolchain& toolchain,
                                     const std::filesystem::path& library);

// Recipe that runs cpp_command() on a solution's sources.
Compilation cpp_compilation(const Toolchain& toolchain);

// A source that does nothing, for build_library() and defect_of().
inline const SourceFile empty_source{"nothing.cpp", "extern \"C\" void nothing() {}\n"};

}  // namespace kbench
