#include "cli/run/watching.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

#include "base/file.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

// Between two looks: time for an editor to write all of a file, and little beside a build.
constexpr auto pause = std::chrono::milliseconds(30);
// Looking takes at most this part of a core.
constexpr int least_rest = 20;

}  // namespace

Stamps stamps_of(const std::vector<fs::path>& places) {
  Stamps stamps;
  const auto add = [&](const fs::path& file) { stamps[file.string()] = file_identity(file); };
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::is_regular_file(place, error)) add(place);
    if (!fs::is_directory(place, error)) continue;
    for (fs::recursive_directory_iterator next(place, error), end; !error && next != end;
         next.increment(error))
      if (next->is_regular_file(error)) add(next->path());
  }
  return stamps;
}

std::vector<std::string> changed(const Stamps& before, const Stamps& now) {
  std::vector<std::string> files;
  for (const auto& [file, stamp] : now) {
    const auto old = before.find(file);
    if (old == before.end() || old->second != stamp) files.push_back(file);
  }
  for (const auto& [file, stamp] : before)
    if (!now.contains(file)) files.push_back(file);
  return files;
}

Stamps wait_for_change(const std::vector<fs::path>& places, const Stamps& before,
                       const std::atomic<bool>& stop) {
  Stamps last = before;
  while (!stop) {
    const auto begin = SteadyClock::now();
    Stamps now = stamps_of(places);
    if (now == last && now != before) return now;
    last = std::move(now);
    std::this_thread::sleep_for(
        std::max<SteadyClock::duration>(pause, least_rest * (SteadyClock::now() - begin)));
  }
  return before;
}

}  // namespace kbench
