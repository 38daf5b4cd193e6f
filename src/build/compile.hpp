// Common parts of the builders of compiled languages: a compiler that runs confined on a solution's
// sources, and the libraries of before.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "build/builder.hpp"

namespace kbench {

// Folder for files that a compiler is told to leave on its way, below a build's folder.
constexpr const char* kept_folder = "kept";

// Recipe that makes a library of a solution.
struct Compilation {
  std::filesystem::path compiler;
  // Runs where the sources are.
  std::function<std::vector<std::string>(const Solution&, const std::filesystem::path& library)>
      command;
  std::span<const std::string_view> extensions;  // extensions of sources that it compiles
  std::string_view language;                     // its name in messages
  std::string_view fault = "BUILD_ERROR";        // begin of the cause of a failure
  // Paths that it may read beside the system's programs and its own folders.
  std::vector<std::filesystem::path> readable;
  // Returns a line about the build in `folder`, which is kept with the library
  // (BuildResult::report). Empty where the language has nothing to say.
  std::function<std::string(const std::filesystem::path& folder, std::string_view log)> report = {};
};

// Runs a program on files built in `folder`, held as the compiler is, and returns what it prints,
// "" where it fails.
std::string output_of(const std::vector<std::string>& argv, const Toolchain& toolchain,
                      const Compilation& compilation, const std::filesystem::path& folder);

// Headers and libraries that solutions of every language may include.
std::vector<std::filesystem::path> readable_by(const Toolchain& toolchain);

// Parts of binding torch: the cause where the headers are missing, and the module that the host of
// Python imports.
constexpr const char* no_torch_headers =
    "binding torch needs the headers of torch and of Python (python3-dev), which are not there";
void make_hosted(const Solution& solution, BuildResult& result);

bool has_extension(const std::string& path, std::span<const std::string_view> extensions);

// Builds once: a library of the same sources by the same command is found again. The log of a
// compiler is kept with its library. Throws std::runtime_error where the compiler fails on
// `nothing`, a source that does nothing, too: that is no solution's fault.
BuildResult build_library(const Solution& solution, const Toolchain& toolchain,
                          const Compilation& compilation, const SourceFile& nothing);

// Prefix of the work folder of a compiler's trial, in the folder for temporary files.
constexpr std::string_view trial_prefix = "kbench-compiler-";

// Tries whether the compiler can make a library of `nothing`: "", or the reason that it cannot.
std::string defect_of(const Toolchain& toolchain, const Compilation& compilation,
                      const SourceFile& nothing);

// Writes a solution's sources to a folder.
void write_sources(const Solution& solution, const std::filesystem::path& folder);

// Returns the source as an argument of a compiler, which takes it for no option whatever its name.
std::string argument_of(const SourceFile& source);

// Flags that it is compiled with beside kbench's own: its flags, and a macro for each of the values
// that were chosen for it.
std::vector<std::string> solution_flags(const Solution& solution);

// Adds the arguments `more` to a command or its flags.
void add_arguments(std::vector<std::string>& to, const std::vector<std::string>& more);

// Returns the SHA-256 over the sources, the command and the identity of the compiler and of the
// headers it is given.
std::string build_key(const Solution& solution, const Toolchain& toolchain,
                      const std::filesystem::path& compiler,
                      const std::vector<std::string>& command);

// Returns the folder of this run for the build with that key.
std::filesystem::path build_folder(const Toolchain& toolchain, const std::string& key);

}  // namespace kbench
