// Workloads that the `init` of FlashInfer's dumps makes, and what such code says of its inputs:
// kbench import --run-init.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/imported.hpp"
#include "import/made_inputs.hpp"

namespace kbench {

// Runs, in the sandbox of references, the init of each dump whose definition is carried over, and
// adds a workload with the inputs that it makes. An init that fails, or does not fit the
// definition, is a warning with the reason.
void add_init_workloads(Imported& imported);

// Runs a text that has _kbench_found() (made_inputs.hpp) and says what it makes. Nothing where it
// fails: `why`.
std::optional<std::vector<MadeInput>> inputs_by_code(ModuleProbe& probe, const std::string& text,
                                                     std::string& why);
// Adds the lengths that give the made inputs their shapes. "" or what does not fit the Definition.
std::string add_axes_of_made(const std::vector<MadeInput>& inputs, const Definition& definition,
                             OrderedMap<std::int64_t>& axes);

}  // namespace kbench
