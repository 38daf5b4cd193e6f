#include "build/python.hpp"

#include <filesystem>

#include "build/cache.hpp"

namespace kbench {

namespace fs = std::filesystem;

std::string python_unavailable(const Toolchain&) { return ""; }

std::string triton_unavailable(const Toolchain&) {
  return fs::exists("/dev/nvidiactl") ? "" : "language triton needs an NVIDIA GPU, and there is none here";
}

BuildResult build_python(const Solution& solution, const Toolchain& toolchain) {
  const fs::path entry = cache_entry(toolchain.cache, build_key(solution, toolchain, {"python"}));
  const BuildLock lock(entry);
  BuildResult result;
  result.built = true;
  result.library = entry / "src";
  result.hosted = solution.spec.entry_point;
  result.from_cache = fs::exists(result.library);
  if (result.from_cache) return result;
  const BuildFolder folder(entry);
  write_sources(solution, folder.path() / "src");
  folder.keep_as(entry);
  return result;
}

}  // namespace kbench
