#include "build/cuda_toolkit.hpp"

#include <vector>

#include "base/installation.hpp"
#include "base/program.hpp"
#include "base/variable.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  if (const std::string home = variable("CUDA_HOME"); !home.empty()) folders.emplace_back(home);
  folders.emplace_back("/usr/local/cuda");
  folders.push_back(installation().plugins / "cuda");
  return folders;
}

// By a way that leads there in a sandbox, too.
fs::path real_path(const fs::path& path) {
  return path.empty() ? path : fs::weakly_canonical(path);
}

fs::path find_tool(const char* name) {
  if (const fs::path in_path = find_program(name); !in_path.empty()) return in_path;
  for (const fs::path& folder : toolkit_folders()) {
    const fs::path tool = find_program(folder / "bin" / name);
    if (!tool.empty()) return tool;
  }
  return {};
}

// Beside bin/compute-sanitizer of a toolkit, which is a script, lies the folder with the program
// and all that it needs.
fs::path find_compute_sanitizer() {
  constexpr const char* name = "compute-sanitizer";
  const fs::path found = find_tool(name);
  if (found.empty()) return {};
  const fs::path toolkit = fs::weakly_canonical(found).parent_path().parent_path();
  for (const char* const folder : {".", "extras"}) {
    const fs::path program = find_program(toolkit / folder / name / name);
    if (!program.empty()) return real_path(program);
  }
  return real_path(found);
}

fs::path nvrtc_in(const fs::path& toolkit) {
  for (const char* const folder : {"lib64", "lib"}) {
    for (const char* const name : {"libnvrtc.so.13", "libnvrtc.so", "libnvrtc.so.12"}) {
      std::error_code none;
      if (const fs::path file = toolkit / folder / name; fs::exists(file, none)) return file;
    }
  }
  return {};
}

void find_nvrtc(CudaToolkit& toolkit) {
  toolkit.chosen_nvrtc = variable("KBENCH_NVRTC");
  std::error_code none;
  if (!toolkit.chosen_nvrtc.empty()) {
    if (fs::exists(toolkit.chosen_nvrtc, none)) toolkit.nvrtc = toolkit.chosen_nvrtc;
  } else {
    std::vector<fs::path> folders = toolkit_folders();
    if (!toolkit.nvcc.empty())
      folders.insert(folders.begin(),
                     fs::weakly_canonical(toolkit.nvcc).parent_path().parent_path());
    for (const fs::path& folder : folders)
      if (toolkit.nvrtc.empty()) toolkit.nvrtc = nvrtc_in(folder);
  }
  toolkit.nvrtc = real_path(toolkit.nvrtc);
}

}  // namespace

CudaToolkit find_cuda_toolkit() {
  CudaToolkit toolkit;
  toolkit.chosen_nvcc = variable("CUDACXX");
  toolkit.nvcc =
      toolkit.chosen_nvcc.empty() ? find_tool("nvcc") : find_program(toolkit.chosen_nvcc);
  if (!toolkit.nvcc.empty())
    toolkit.nvdisasm = find_program(fs::weakly_canonical(toolkit.nvcc).parent_path() / "nvdisasm");
  if (toolkit.nvdisasm.empty()) toolkit.nvdisasm = find_tool("nvdisasm");
  toolkit.nvdisasm = real_path(toolkit.nvdisasm);
  toolkit.compute_sanitizer = find_compute_sanitizer();
  toolkit.ncu = real_path(find_tool("ncu"));
  find_nvrtc(toolkit);
  return toolkit;
}

}  // namespace kbench
