// Inputs that foreign Python makes, in the sandbox of references: what they are, and their values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/imported.hpp"
#include "import/module_probe.hpp"
#include "schema/trace.hpp"

namespace kbench {

struct MadeInput {
  std::string input;  // of the Definition: "linear_weight"
  std::string key;    // of a module's state: "linear.weight"; of an argument ""
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
  std::optional<ScalarValue> scalar;  // an argument that is a number
  std::optional<RandomInput> drawn;   // its values are as torch.randn or torch.rand makes them
};

// Python for a text that defines _kbench_found(), a dict from inputs to pairs of key and value:
// _kbench_inputs(found) says of each what MadeInput has, in JSON; _kbench_bytes(json) is what run()
// returns.
extern const char* const describing_inputs;

// A list of texts in Python: ["a", "b"].
std::string list_literal(const std::vector<std::string>& names);

// Why, where it takes more than module_probe.hpp allows.
constexpr std::string_view too_long = "it takes too long";

// Runs a foreign text with what stands behind it and returns what its run() says of itself, JSON.
// Nothing where it fails: `why`, with the line where that is the foreign text's.
std::optional<std::string> described(ModuleProbe& probe, const std::string& foreign,
                                     const std::string& behind, std::string& why);
// Reads the "inputs" of such a description.
std::optional<std::vector<MadeInput>> made_inputs(std::string_view description, std::string& why);

struct InputMaker {
  std::string text;  // with _kbench_found()
  std::vector<MadeInput> inputs;
};

// Gives a workload these inputs: numbers, what is drawn anew in each trial, and for the others a
// file in `imported.made`, which the text fills. Of one that is too large there is a warning in the
// notes of file `of`. "" or what went wrong.
std::string add_made_inputs(ModuleProbe& probe, const InputMaker& maker, std::size_t of,
                            Workload& workload, Imported& imported);

// A uuid that follows from a Definition, and from what tells its workloads apart, alone.
std::string made_uuid(const Definition& definition, const std::string& workload = "");

}  // namespace kbench
