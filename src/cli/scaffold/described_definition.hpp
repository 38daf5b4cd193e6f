// A Definition from words of a command line that describe its tensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/definition.hpp"

namespace kbench {

struct DefinitionWords {
  std::string name;
  std::string op_type;                       // "": the name up to its first '_'
  std::vector<std::string> inputs, outputs;  // "x:batch,h=1024:bfloat16"; "eps::float32" a scalar
  std::string reference;                     // Python; "": a run() that says it is not written
};

// Adds the tensor of a word NAME:AXES:DTYPE to `specs`, which are the inputs or outputs of `to`,
// and its axes to `to`. Returns "" or the word's mistake.
std::string describe_tensor(const std::string& word, Definition& to, OrderedMap<TensorSpec>& specs);

// A word is NAME:AXES:DTYPE; axes that have a length anywhere are const, the others var. A missing
// output becomes y, which is like the first input. Returns nothing where a word is wrong, as `why`
// says.
std::optional<Definition> described_definition(const DefinitionWords& words, std::string& why);

}  // namespace kbench
