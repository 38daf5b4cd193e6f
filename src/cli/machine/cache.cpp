// kbench cache: shows what the caches hold, and empties them.
#include "cli/machine/cache.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/system.hpp"
#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "report/tables.hpp"

namespace kbench {
namespace {

constexpr std::string_view default_limit = "5G";
// Peaks are measured once: other entries of runs never push them out.
constexpr std::uint64_t peak_bytes = std::uint64_t{1} << 20;

// Gives a fifth to built solutions, the rest to answers.
UserCaches caches_within(std::uint64_t bytes) {
  constexpr std::uint64_t share = 8;  // an entry may take an eighth of the limit
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

namespace {

using Json = nlohmann::ordered_json;

struct CacheOptions {
  std::string what;
  std::string format = "text";
  bool builds = false;   // clears this part; none: all parts
  bool answers = false;  // clears this part
  bool peaks = false;    // clears this part
};

struct CachePart {
  std::string_view name;
  Cache cache;
  std::uint64_t limit;
  bool chosen;  // it is to be cleared
};

std::vector<std::unique_ptr<CachePart>> parts(const UserCaches& caches,
                                              const CacheOptions& options) {
  const bool all = !options.builds && !options.answers && !options.peaks;
  std::vector<std::unique_ptr<CachePart>> out;
  const auto add = [&](std::string_view name, const std::filesystem::path& folder,
                       const CacheLimits& limits, bool chosen) {
    out.emplace_back(new CachePart{name, Cache(folder, limits), limits.bytes, all || chosen});
  };
  add("builds", caches.builds, caches.build_limits, options.builds);
  add("answers", caches.answers, caches.answer_limits, options.answers);
  add("peaks", caches.peaks, caches.peak_limits, options.peaks);
  return out;
}

// Local time, to the minute.
std::string time_text(const std::optional<CacheUse::Time>& time) {
  if (!time) return "-";
  return fmt::format("{:%Y-%m-%d %H:%M}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(*time)));
}

Json time_json(const std::optional<CacheUse::Time>& time) {
  if (!time) return nullptr;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(*time)));
}

std::string info_text(const UserCaches& caches, const CacheOptions& options) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& part : parts(caches, options)) {
    const CacheUse use = part->cache.use();
    rows.push_back({{std::string(part->name)},
                    {std::to_string(use.entries)},
                    {human_bytes(static_cast<double>(use.bytes))},
                    {human_bytes(static_cast<double>(part->limit))},
                    {time_text(use.oldest)},
                    {time_text(use.newest)}});
  }
  return fmt::format("{}\n", printable(caches.root.string())) + align({{"what"},
                                                                       {"entries", true},
                                                                       {"size", true},
                                                                       {"limit", true},
                                                                       {"oldest use"},
                                                                       {"newest use"}},
                                                                      rows);
}

std::string info_json(const UserCaches& caches, const CacheOptions& options) {
  Json out = {{"path", caches.root.string()}};
  for (const auto& part : parts(caches, options)) {
    const CacheUse use = part->cache.use();
    out[std::string(part->name)] = {{"entries", use.entries},
                                    {"bytes", use.bytes},
                                    {"limit_bytes", part->limit},
                                    {"oldest_use", time_json(use.oldest)},
                                    {"newest_use", time_json(use.newest)}};
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int clear(const UserCaches& caches, const CacheOptions& options) {
  for (const auto& part : parts(caches, options)) {
    if (!part->chosen) continue;
    const CacheUse use = part->cache.use();
    part->cache.clear();
    print(fmt::format("{}: {} removed, {}\n", part->name, use.entries,
                      human_bytes(static_cast<double>(use.bytes))));
  }
  return exit_good;
}

int cache(const CacheOptions& options) {
  const auto caches = user_caches();
  if (!caches) return exit_input;
  if (options.what == "clear") return clear(*caches, options);
  print(options.format == "json" ? info_json(*caches, options) : info_text(*caches, options));
  return exit_good;
}

}  // namespace

std::function<int()> declare_cache(CommandLine line) {
  auto options = std::make_shared<CacheOptions>();
  line.add_option("action info|clear", options->what,
                  "info: what is kept and where; clear: remove it")
      .required()
      .one_of({"info", "clear"});
  line.add_option("--format FORMAT", options->format, "Of info: text or json")
      .one_of({"text", "json"});
  line.add_flag("--builds", options->builds, "Clear built solutions alone");
  line.add_flag("--answers", options->answers, "Clear answers of references alone");
  line.add_flag("--peaks", options->peaks, "Clear what was measured of this machine alone");
  return [options] { return cache(*options); };
}

}  // namespace kbench
