// Expects one argument more than the definition has.
#include "kbench_ffi.h"

void rmsnorm(kbench::Tensor, kbench::Tensor, double, kbench::Tensor) {}

KBENCH_EXPORT(run, rmsnorm)
