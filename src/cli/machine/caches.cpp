#include "cli/machine/caches.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <charconv>

#include "base/variable.hpp"
#include "cli/shell/report_printer.hpp"

namespace kbench {
namespace {

constexpr std::string_view default_limit = "5G";
// Measured once: what runs keep never pushes it out.
constexpr std::uint64_t peak_bytes = std::uint64_t{1} << 20;

// A fifth for built solutions, the rest for answers.
UserCaches caches_within(std::uint64_t bytes) {
  constexpr std::uint64_t share = 8;  // of the limit, for one entry
  UserCaches caches;
  caches.root = cache_root();
  caches.builds = caches.root / "builds";
  caches.answers = caches.root / "answers";
  caches.build_limits = {bytes / 5, bytes / 5 / share};
  const std::uint64_t rest = bytes - bytes / 5;
  caches.answer_limits = {rest, rest / share};
  caches.peaks = caches.root / "peaks";
  caches.peak_limits = {peak_bytes, peak_bytes};
  return caches;
}

}  // namespace

std::uint64_t limit_of(const UserCaches& caches) {
  return caches.build_limits.bytes + caches.answer_limits.bytes;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || end - rest > 1) return std::nullopt;
  if (rest != end) {
    const auto power = std::string_view("KMGT").find(*rest);
    if (power == std::string_view::npos) return std::nullopt;
    for (std::size_t i = 0; i <= power; ++i) value *= 1024;
  }
  if (!(value >= 0 && value < 0x1p63)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::optional<UserCaches> user_caches() {
  const std::string given = variable("KBENCH_CACHE_LIMIT");
  const std::string_view text = given.empty() ? default_limit : std::string_view(given);
  if (const auto bytes = parse_bytes(text)) return caches_within(*bytes);
  say_error("kbench", fmt::format("KBENCH_CACHE_LIMIT is \"{}\", which is no size", text),
            fmt::format("a number of bytes, or one with K, M, G or T: KBENCH_CACHE_LIMIT={}",
                        default_limit));
  return std::nullopt;
}

}  // namespace kbench
