// Data that nobody in this project wrote: tests read it where it is and skip without it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace kbench {

inline std::filesystem::path outside_folder() {
  const char* chosen = std::getenv("KBENCH_OUTSIDE");
  const std::filesystem::path root =
      chosen != nullptr ? std::filesystem::path(chosen)
                        : std::filesystem::path(KBENCH_SOURCE_DIR) / ".." / "shared" / "outside";
  return root / "flashinfer-bench";
}

// Small trace sets of the project's, one a folder, that came from reports.
inline std::filesystem::path cases_folder() {
  return std::filesystem::path(KBENCH_SOURCE_DIR) / ".." / "shared" / "cases";
}

}  // namespace kbench

#define KBENCH_NEEDS_CASE(name)                                \
  if (!std::filesystem::exists(kbench::cases_folder() / name)) \
  GTEST_SKIP() << "no outside data (../shared/cases)"

#define KBENCH_NEEDS_OUTSIDE()                            \
  if (!std::filesystem::exists(kbench::outside_folder())) \
  GTEST_SKIP() << "no outside data (KBENCH_OUTSIDE)"
