// A problem of KernelBench when it is run: what its Model takes, holds and returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "import/made_inputs.hpp"

namespace kbench {

struct ModelOutput {
  std::string name;
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
};

struct KernelBenchModel {
  std::vector<MadeInput> inputs;  // arguments of forward(), then what __init__() makes
  std::vector<ModelOutput> outputs;
  std::optional<std::int64_t> batch_size;  // where the module has a number of that name
};

// Makes the Model of a module's text and calls it. Nothing where that is not possible, or has no
// counterpart in a Definition, which `why` says.
std::optional<KernelBenchModel> describe_model(ModuleProbe& probe, const std::string& text,
                                               std::string& why);

// The module's text with _kbench_found(), made_inputs.hpp.
std::string kernelbench_making(const std::string& text);

// The run() of a Definition: the module, and a function of all its inputs.
std::string kernelbench_reference(const std::string& text, const KernelBenchModel& model);
// The run() of an answer, whose module has a ModelNew, for a Definition that was made so; beside it
// the reference's text is the module `kernelbench_problem_module`.
std::string kernelbench_answer(const std::string& text, const Definition& definition);
constexpr std::string_view kernelbench_problem_module = "kernelbench_problem";

}  // namespace kbench
