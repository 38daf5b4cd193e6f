// A problem of KernelBench when it is run: what its Model takes, holds and returns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "import/module_probe.hpp"
#include "schema/trace.hpp"

namespace kbench {

struct ModelTensor {
  std::string input;  // of the Definition: "linear_weight"
  std::string key;    // of the Model's state: "linear.weight"; of an argument of forward() ""
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
  std::optional<ScalarValue> scalar;  // an argument that is a number
  std::optional<RandomInput> drawn;   // its values are as torch.randn or torch.rand makes them
};

struct ModelOutput {
  std::string name;
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
};

struct KernelBenchModel {
  std::vector<ModelTensor> inputs;  // arguments of forward(), then what __init__() makes
  std::vector<ModelOutput> outputs;
  std::optional<std::int64_t> batch_size;  // where the module has a number of that name
};

// Makes the Model of a module's text and calls it. Nothing where that is not possible, or has no
// counterpart in a Definition, which `why` says.
std::optional<KernelBenchModel> describe_model(ModuleProbe& probe, const std::string& text,
                                               std::string& why);

// Writes the inputs of these names to a file, as a run of the module makes them. "" or what is
// wrong.
std::string store_inputs(ModuleProbe& probe, const std::string& text,
                         const std::vector<std::string>& names, const std::filesystem::path& file);

// The run() of a Definition: the module, and a function of all its inputs.
std::string kernelbench_reference(const std::string& text, const KernelBenchModel& model);
// The run() of an answer, whose module has a ModelNew, for a Definition that was made so; beside it
// the reference's text is the module `kernelbench_problem_module`.
std::string kernelbench_answer(const std::string& text, const Definition& definition);
constexpr std::string_view kernelbench_problem_module = "kernelbench_problem";

}  // namespace kbench
