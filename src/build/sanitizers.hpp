// The sanitizers of gcc: which ones a solution is built with, and what that needs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct Toolchain;

struct Sanitizers {
  bool address = false;
  bool undefined = false;

  bool any() const { return address || undefined; }
};

// "address", "undefined" or both with a comma, in either order; nothing for anything else.
std::optional<Sanitizers> parse_sanitizers(std::string_view list);
std::string name_of(const Sanitizers& sanitizers);

// They stand after a solution's own and have their way over those.
std::vector<std::string> sanitizer_flags(const Sanitizers& sanitizers);

// The library that a process must start with; "" where none is needed, or it is not there.
std::filesystem::path sanitizer_runtime(const Toolchain& toolchain);

// What is missing for building with them, "" when nothing is.
std::string sanitizers_unavailable(const Toolchain& toolchain);

}  // namespace kbench
