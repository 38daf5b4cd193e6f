// Intel's vector functions inside LibTorch (MKL's VML: exp, log, sqrt, …).
#pragma once

namespace kbench {

// Calls each of them once, on this thread. MKL picks a function's kernel in its first call; when
// two threads make that call together, one of them may compute its part with a kernel of low
// accuracy: errors of 1e-5 in float32 (pytorch/pytorch#188792). Every fork would make first calls,
// so what forks calls this first.
void settle_vector_math();

}  // namespace kbench
