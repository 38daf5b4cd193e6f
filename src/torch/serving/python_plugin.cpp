#include "torch/serving/python_plugin.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "base/installation.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// libtorch_python is linked to all of CUDA's libraries and needs none of them on a CPU: stand-ins
// without content take their places, so that gigabytes need be neither installed nor loaded.
void load_stand_ins(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    ::dlopen(entry.path().c_str(), RTLD_LAZY | RTLD_GLOBAL);
  }
}

std::variant<PythonPlugin*, std::string> open() {
  const fs::path folder = installation().plugins;
  if (!fs::exists(folder / "kbench-python.so")) {
    return std::string("kbench was built without Python's headers or without libtorch_python");
  }
  load_stand_ins(folder / "without-cuda");
  // Lazily: the stand-ins have no functions. Globally: Python's own modules look for its symbols.
  void* library = ::dlopen((folder / "kbench-python.so").c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (library == nullptr) return std::string("the Python evaluator does not load: ") + ::dlerror();
  const auto entry = reinterpret_cast<PythonPluginEntry>(::dlsym(library, python_plugin_symbol));
  if (entry == nullptr) return std::string("the Python evaluator has no entry");
  try {
    return entry();
  } catch (const std::exception& failure) {
    return std::string("Python does not start: ") + failure.what();
  }
}

}  // namespace

std::variant<PythonPlugin*, std::string> python_plugin() {
  static const auto plugin = open();
  return plugin;
}

}  // namespace kbench
