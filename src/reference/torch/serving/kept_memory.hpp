// Memory of large tensors, kept for the next ones.
#pragma once

namespace kbench {

// From now on LibTorch's CPU tensors of at least a MiB lie in huge pages where the kernel has them,
// and what is freed serves the next tensor of its size: calling a reference again and again, a
// third of the time went to pages that the kernel cleared. Kept and used memory are together at
// most twice what was ever used at once. For the rest of the process.
void keep_tensor_memory();

}  // namespace kbench
