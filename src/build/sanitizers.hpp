// The sanitizers that a solution is checked with: gcc's, which C++ is built with, and the tools of
// NVIDIA's compute-sanitizer, which solutions in CUDA run under.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/judge_settings.hpp"
#include "schema/solution.hpp"

namespace kbench {

struct Toolchain;

struct Sanitizers {
  bool address = false;  // gcc's, as is the next
  bool undefined = false;
  bool memcheck = false;  // compute-sanitizer's, as are the next
  bool racecheck = false;
  bool initcheck = false;
  bool synccheck = false;

  bool any_of_gcc() const { return address || undefined; }
  bool any_of_gpu() const { return memcheck || racecheck || initcheck || synccheck; }
  bool any() const { return any_of_gcc() || any_of_gpu(); }
};

// Parses names with commas between, each once, in any order; nothing for anything else.
std::optional<Sanitizers> parse_sanitizers(std::string_view list);
// Returns the sanitizers that a run asks for.
Sanitizers sanitizers_of(const JudgeSettings& settings);
// Names are in the order of the struct.
std::string name_of(const Sanitizers& sanitizers);
std::vector<std::string> names_of(const Sanitizers& sanitizers);

// Returns the sanitizers that are for solutions of this language.
Sanitizers of_language(const Sanitizers& sanitizers, Language language);

// Returns gcc's flags. They stand after a solution's own and override those.
std::vector<std::string> sanitizer_flags(const Sanitizers& sanitizers);

// Returns the library that a process must start with; "" where none is needed, or it is not there.
std::filesystem::path sanitizer_runtime(const Toolchain& toolchain);

// Names what is missing for building with gcc's, "" when nothing is.
std::string sanitizers_unavailable(const Toolchain& toolchain);
// Names what is missing for running under compute-sanitizer, "" when nothing is.
std::string gpu_sanitizers_unavailable(const Toolchain& toolchain);

}  // namespace kbench
