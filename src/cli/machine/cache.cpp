// kbench cache: what the caches hold, and emptying them.
#include "base/cache.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/machine/caches.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "report/columns.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct CacheOptions {
  std::string what;
  std::string format = "text";
  bool builds = false;   // clear these alone
  bool answers = false;  // or these
  bool peaks = false;    // or these
};

struct CachePart {
  std::string_view name;
  Cache cache;
  std::uint64_t limit;
  bool chosen;  // to be cleared
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
  return fmt::format("{}\n", caches.root.string()) + align({{"what"},
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
  line.add_option("action", options->what, "info: what is kept and where; clear: remove it")
      .required()
      .one_of({"info", "clear"})
      .text("info|clear");
  line.add_option("--format", options->format, "Of info: text or json")
      .one_of({"text", "json"})
      .text("FORMAT");
  line.add_flag("--builds", options->builds, "Clear built solutions alone");
  line.add_flag("--answers", options->answers, "Clear answers of references alone");
  line.add_flag("--peaks", options->peaks, "Clear what was measured of this machine alone");
  return [options] { return cache(*options); };
}

}  // namespace kbench
