#include "base/python.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/confined.hpp"
#include "base/file.hpp"
#include "base/program.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_start = "python3.";

// "python3.11" of …/lib/python3.11/site-packages/torch; "" where LibTorch is no package.
std::string python_of(const fs::path& torch) {
  std::string name = torch.parent_path().parent_path().filename().string();
  return name.starts_with(name_start) ? name : "";
}

// What "python3" leads to says its version in its own name, but for a few builds.
bool is_of(const fs::path& program, const std::string& name) {
  std::error_code gone;
  const std::string real = fs::canonical(program, gone).filename().string();
  return name.empty() || !real.starts_with(name_start) || real == name;
}

// As version managers have them, which start an interpreter of somebody's choice.
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

}  // namespace kbench
