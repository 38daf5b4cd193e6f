#include "base/libtorch.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> real_folder(const fs::path& folder, const char* file) {
  std::error_code gone;
  if (!fs::exists(folder / file, gone)) return std::nullopt;
  return fs::canonical(folder);
}

// The number behind "#define TORCH_VERSION_<part> ".
std::string version_part(std::string_view header, std::string_view part) {
  const std::string name = fmt::format("define TORCH_VERSION_{} ", part);
  const auto at = header.find(name);
  if (at == header.npos) return "";
  const std::string_view rest = header.substr(at + name.size());
  return std::string(trim(rest.substr(0, rest.find('\n'))));
}

// From where 2.15 keeps it, or where older ones did.
std::string version_of(const fs::path& libtorch) {
  for (const char* file :
       {"torch/headeronly/version.h", "torch/csrc/api/include/torch/version.h"}) {
    const auto header = read_file_if_there(libtorch / "include" / file);
    if (!header || version_part(*header, "MAJOR").empty()) continue;
    return fmt::format("{}.{}.{}", version_part(*header, "MAJOR"), version_part(*header, "MINOR"),
                       version_part(*header, "PATCH"));
  }
  return "";
}

std::vector<fs::path> possible_folders(const fs::path& place) {
  std::vector<fs::path> out = {place, place / "torch"};
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(place / "lib", gone)) {
    if (entry.path().filename().string().starts_with("python3"))
      out.push_back(entry.path() / "site-packages" / "torch");
  }
  return out;
}

}  // namespace

std::optional<LibTorch> libtorch_in(const fs::path& place) {
  for (const fs::path& folder : possible_folders(place)) {
    if (const auto found = real_folder(folder, "lib/libtorch_cpu.so"))
      return LibTorch{*found, version_of(*found)};
  }
  return std::nullopt;
}

std::optional<LibTorch> find_libtorch() {
  if (const std::string given = variable("KBENCH_TORCH"); !given.empty()) return libtorch_in(given);
  if (auto own = libtorch_in(installation().plugins / "torch")) return own;
  const std::string environment = variable("VIRTUAL_ENV");
  return environment.empty() ? std::nullopt : libtorch_in(environment);
}

std::string libtorch_problem(const std::optional<LibTorch>& found, std::string_view wanted,
                             std::string_view given) {
  if (wanted.empty()) return "kbench was built without LibTorch";
  if (!found && !given.empty()) {
    return fmt::format(
        "KBENCH_TORCH is \"{}\", and no LibTorch is there: name a LibTorch folder, a torch package "
        "or a virtual environment that has one",
        given);
  }
  if (!found) {
    return fmt::format(
        "no LibTorch is found: activate a virtual environment that has torch {}, or set "
        "KBENCH_TORCH to one (docs/install.md)",
        wanted);
  }
  if (found->version == wanted) return "";
  return fmt::format(
      "it was built for LibTorch {}, and {} is {}: set KBENCH_TORCH to one of that version, or "
      "build kbench with this one",
      wanted, found->folder.string(),
      found->version.empty() ? "of an unknown version" : found->version);
}

std::vector<std::string> libtorch_environment() {
  const auto found = find_libtorch();
  // Set by src/CMakeLists.txt to that of the LibTorch kbench-torch is linked to.
  const std::string problem =
      libtorch_problem(found, KBENCH_TORCH_VERSION, variable("KBENCH_TORCH"));
  if (!problem.empty()) throw std::runtime_error(problem);
  return {"LD_LIBRARY_PATH=" + (found->folder / "lib").string()};
}

std::optional<fs::path> find_tvm_ffi() {
  constexpr const char* header = "include/tvm/ffi/c_api.h";
  if (const auto own = real_folder(installation().plugins / "tvm_ffi", header)) return own;
  const auto libtorch = find_libtorch();
  if (!libtorch) return std::nullopt;
  return real_folder(libtorch->folder.parent_path() / "tvm_ffi", header);
}

}  // namespace kbench
