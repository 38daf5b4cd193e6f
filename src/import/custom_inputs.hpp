// Workloads of SOL-ExecBench whose inputs a function of the reference makes: kbench import
// --run-init.
#pragma once

#include "import/imported.hpp"

namespace kbench {

// Runs, in the sandbox of references, the `custom_inputs_entrypoint` of each definition that is
// carried over, once for each workload with inputs of type "custom", and adds these workloads. One
// whose inputs cannot be made stays left out, with the reason.
void add_custom_workloads(Imported& imported);

}  // namespace kbench
