// Places of the user's caches, and their limits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/cache.hpp"

namespace kbench {

struct UserCaches {
  std::filesystem::path root;  // cache_root()
  std::filesystem::path builds, answers, peaks;
  CacheLimits build_limits, answer_limits, peak_limits;
};

// Returns the limit of KBENCH_CACHE_LIMIT or the default, bytes.
std::uint64_t limit_of(const UserCaches& caches);

// Limits are KBENCH_CACHE_LIMIT's, else the default; where that is no size nothing, as stderr says.
std::optional<UserCaches> user_caches();

// "512", "64K", "1.5G": bytes, in powers of 1024. Other texts give nothing.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace kbench
