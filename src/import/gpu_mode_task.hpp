// A problem of GPU MODE when it is run: what generate_input() makes and ref_kernel() returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/made_inputs.hpp"

namespace kbench {

// Modules of Python that a problem imports, by name: {"task", text}.
using PythonModules = std::vector<std::pair<std::string, std::string>>;

// A tensor that a task hands over or returns.
struct TaskTensor {
  std::string name;
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
};

// A specification of a task: arguments of generate_input().
struct TaskArguments {
  std::string python;                 // "{\"m\": 64, \"seed\": 1}"
  OrderedMap<std::int64_t> integers;  // the whole numbers among them
};

// What one specification of a task gives.
struct TaskCase {
  std::vector<MadeInput> inputs;
  std::vector<TaskTensor> buffers;  // tensors of `data` that are not read: outputs go there
  std::vector<TaskTensor> outputs;  // where they were asked for
  std::string data;  // Python for `data`: numbers by their names, {c} for the tensor c
};

// The text of reference.py behind its modules, on the CPU.
std::string task_text(const PythonModules& modules, const std::string& reference);

struct TaskQuestion {
  std::string_view wanted;           // "buffers", "outputs", or "" for inputs alone
  std::vector<std::string> buffers;  // that are known
};

// Runs generate_input() with these arguments, Python of TaskArguments, and what the question takes.
// Nothing where something fails: `why`.
std::optional<TaskCase> run_case(ModuleProbe& probe, const std::string& text,
                                 const std::string& arguments, const TaskQuestion& question,
                                 std::string& why);

// The text with _kbench_found() for these arguments, made_inputs.hpp.
std::string task_making(const std::string& text, const std::string& arguments,
                        const std::vector<std::string>& buffers);

// run() of a Definition and of an answer: `called` is ref_kernel or custom_kernel, `data` the
// argument in Python.
std::string task_run(const std::vector<std::string>& inputs, const std::string& called,
                     const std::string& data);

}  // namespace kbench
