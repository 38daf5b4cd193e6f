// The Python evaluator as a plugin: a library of its own, since the one that it needs
// (libtorch_python) takes longer to load than LibTorch's compiler needs for most references.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "problem/host_protocol.hpp"
#include "problem/reference_protocol.hpp"
#include "torch/script/reference_function.hpp"

namespace kbench {

// What the plugin offers. There is one interpreter in a process, started when the plugin is found.
class PythonPlugin {
 public:
  virtual ~PythonPlugin() = default;

  // Runs the reference's text and gives back its `run`. Meant for a fork: what the text does to
  // the interpreter stays. Throws RaisedError.
  virtual std::unique_ptr<ReferenceFunction> load(const ReferenceRequest& request,
                                                  const ReferenceLoadOptions& options) = 0;

  // Folders that modules are imported from.
  virtual std::vector<std::string> module_folders() = 0;

  // Imports a candidate's module and gives back its function. Likewise.
  virtual std::unique_ptr<ReferenceFunction> load_candidate(const HostRequest& request) = 0;

  // Told before each call of a candidate whose kernels are emulated: what their order follows from,
  // and the parameters that it may not write to.
  virtual void begin_emulated_call(std::uint64_t seed,
                                   const std::vector<std::string>& read_only) = 0;
};

// Loads the plugin and starts the interpreter, once. The text says why there is none.
std::variant<PythonPlugin*, std::string> python_plugin();

// The symbol that the plugin is known by. Throws std::runtime_error when Python does not start.
inline constexpr const char* python_plugin_symbol = "kbench_python_plugin";
using PythonPluginEntry = PythonPlugin* (*)();

}  // namespace kbench
