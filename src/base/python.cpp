#include "base/python.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "base/installation.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_start = "python3.";

// "python3.11" of …/lib/python3.11/site-packages/torch; "" where LibTorch is no package.
std::string python_of(const fs::path& torch) {
  std::string name = torch.parent_path().parent_path().filename().string();
  return name.starts_with(name_start) ? name : "";
}

// Tells by the name that "python3" leads to, which has the version but for a few builds.
bool is_of(const fs::path& program, const std::string& name) {
  std::error_code gone;
  const std::string real = fs::canonical(program, gone).filename().string();
  return name.empty() || !real.starts_with(name_start) || real == name;
}

// Tells whether it is a version manager's script, which starts an interpreter of somebody's choice.
bool is_script(const fs::path& program) {
  char start[2] = {};
  const Fd file = try_open_confined(program, O_RDONLY);
  return ::read(file.get(), start, 2) == 2 && start[0] == '#' && start[1] == '!';
}

// "" where there is none in this folder.
fs::path python_in(const fs::path& folder, const std::string& name) {
  for (const std::string& one : {name, std::string("python3")}) {
    const fs::path program = folder / one;
    if (!one.empty() && ::access(program.c_str(), X_OK) == 0 && is_of(program, name) &&
        !is_script(program))
      return program;
  }
  return {};
}

std::vector<fs::path> folders_of_programs(const fs::path& torch) {
  std::vector<fs::path> out;
  if (!python_of(torch).empty())  // <environment>/lib/python3.11/site-packages/torch
    out.push_back(torch.parent_path().parent_path().parent_path().parent_path() / "bin");
  for (const char* environment : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string folder = variable(environment); !folder.empty())
      out.push_back(fs::path(folder) / "bin");
  const std::string path = search_path();
  for (const std::string_view folder : split(path, ':')) out.emplace_back(folder);
  return out;
}

// The prefix that a virtual environment was made from has the headers; pyvenv.cfg says where.
fs::path prefix_of(const fs::path& program) {
  const fs::path prefix = program.parent_path().parent_path();
  const auto settings = read_file_if_there(prefix / "pyvenv.cfg");
  if (!settings) return prefix;
  for (const std::string_view line : split(*settings, '\n')) {
    const auto sign = line.find('=');
    if (sign != line.npos && trim(line.substr(0, sign)) == "home")
      return fs::path(trim(line.substr(sign + 1))).parent_path();
  }
  return prefix;
}

fs::path headers_of(const fs::path& program, std::string name) {
  std::error_code gone;
  if (name.empty()) name = fs::canonical(program, gone).filename().string();
  const fs::path headers = prefix_of(program) / "include" / name;
  return fs::exists(headers / "Python.h", gone) ? headers : fs::path();
}

}  // namespace

std::optional<Python> find_python(const LibTorch& libtorch) {
  const std::string name = python_of(libtorch.folder);
  for (const fs::path& folder : folders_of_programs(libtorch.folder)) {
    const fs::path program = python_in(folder, name);
    if (!program.empty()) return Python{program, headers_of(program, name), prefix_of(program)};
  }
  return std::nullopt;
}

namespace {

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

// Reads it where 2.15 keeps it, or where older ones did.
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

// Debian's own Python calls the folder of what pip installs dist-packages.
std::vector<fs::path> possible_folders(const fs::path& place) {
  std::vector<fs::path> out = {place, place / "torch"};
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(place / "lib", gone)) {
    if (!entry.path().filename().string().starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"})
      out.push_back(entry.path() / packages / "torch");
  }
  return out;
}

// "2.15" of "2.15.0"
std::string_view minor_of(std::string_view version) {
  return version.substr(0, version.rfind('.'));
}

constexpr std::string_view variant_prefix = "torch-";

fs::path library_for(std::string_view minor) {
  return installation().plugins / fmt::format("{}{}", variant_prefix, minor) / "kbench-torch.so";
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
  const fs::path plugins = installation().plugins;
  std::vector<fs::path> places = {plugins / "torch", plugins.parent_path().parent_path()};
  for (const char* environment : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string folder = variable(environment); !folder.empty())
      places.emplace_back(folder);
  for (const fs::path& place : places)
    if (auto found = libtorch_in(place)) return found;
  return std::nullopt;
}

std::vector<std::string> torch_versions() {
  std::vector<std::string> out;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(installation().plugins, gone)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(variant_prefix)) continue;
    out.push_back(name.substr(variant_prefix.size()));
    if (!fs::exists(library_for(out.back()), gone)) out.pop_back();
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string libtorch_problem(const std::optional<LibTorch>& found,
                             const std::vector<std::string>& built_for, std::string_view given) {
  if (built_for.empty()) return "kbench was built without LibTorch";
  const std::string wanted = join(built_for, " or ");
  if (!found && !given.empty()) {
    return fmt::format(
        "KBENCH_TORCH is \"{}\", and no LibTorch is there: name a LibTorch folder, a torch package "
        "or a virtual environment that has one",
        given);
  }
  if (!found) {
    return fmt::format(
        "no LibTorch is found: install torch {} into kbench's own environment, activate one that "
        "has it, or set KBENCH_TORCH to one (docs/install.md)",
        wanted);
  }
  const bool fits =
      std::find(built_for.begin(), built_for.end(), minor_of(found->version)) != built_for.end();
  if (fits) return "";
  return fmt::format(
      "it was built for LibTorch {}, and {} is {}: set KBENCH_TORCH to one of that version, or "
      "build kbench with this one",
      wanted, found->folder.string(),
      found->version.empty() ? "of an unknown version" : found->version);
}

fs::path torch_library(const std::optional<LibTorch>& found) {
  const std::string problem = libtorch_problem(found, torch_versions(), variable("KBENCH_TORCH"));
  if (!problem.empty()) throw std::runtime_error(problem);
  return library_for(minor_of(found->version));
}

std::vector<std::string> libtorch_environment() {
  std::vector<std::string> out;
  for (const char* name : libtorch_variables)
    if (const std::string value = variable(name); !value.empty())
      out.push_back(fmt::format("{}={}", name, value));
  return out;
}

std::optional<fs::path> find_tvm_ffi() {
  constexpr const char* header = "include/tvm/ffi/c_api.h";
  if (const auto own = real_folder(installation().plugins / "tvm_ffi", header)) return own;
  const auto libtorch = find_libtorch();
  if (!libtorch) return std::nullopt;
  return real_folder(libtorch->folder.parent_path() / "tvm_ffi", header);
}

}  // namespace kbench
