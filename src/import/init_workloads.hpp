// Workloads that the `init` of FlashInfer's dumps makes: kbench import --run-init.
#pragma once

#include "import/imported.hpp"

namespace kbench {

// Runs, in the sandbox of references, the init of each dump whose definition is carried over, and
// adds a workload with the inputs that it makes. An init that fails, or does not fit the
// definition, is a warning with the reason.
void add_init_workloads(Imported& imported);

}  // namespace kbench
