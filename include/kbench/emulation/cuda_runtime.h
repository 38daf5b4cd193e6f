// SPDX-License-Identifier: Apache-2.0
// CUDA C++ for emulation: names that a source in CUDA has without an include as well.
#ifndef KBENCH_EMULATION_CUDA_RUNTIME_H_
#define KBENCH_EMULATION_CUDA_RUNTIME_H_

#include <cuda_runtime_api.h>
#include <kbench_emulation_atomics.h>
#include <kbench_emulation_math.h>
#include <kbench_emulation_threads.h>

#include <cassert>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#endif  // KBENCH_EMULATION_CUDA_RUNTIME_H_
