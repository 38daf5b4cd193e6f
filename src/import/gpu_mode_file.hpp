// task.yml of GPU MODE, and the files that it names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/gpu_mode_task.hpp"
#include "import/imported.hpp"

namespace kbench {

// What task.yml says, as far as it is carried over.
struct Task {
  std::string reference;
  PythonModules modules;
  std::vector<TaskArguments> arguments;  // of tests, then of benchmarks
  TaskArguments spread;                  // beside these: no workload
  std::string description;
};

// Why a task is not carried over, and at which byte of task.yml that stands.
struct TaskDefect {
  std::string why;
  std::size_t at = 0;
};

// Reads files[file], a task.yml. What it names is looked for among `files`, then on disk, since it
// may lie above the folder that is imported.
std::optional<Task> read_task(const std::vector<ForeignFile>& files, std::size_t file,
                              TaskDefect& said);

bool imports_module(std::string_view text, std::string_view module);
bool defines_function(std::string_view text, std::string_view function);

}  // namespace kbench
