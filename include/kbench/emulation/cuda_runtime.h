// SPDX-License-Identifier: Apache-2.0
// CUDA C++ for emulation: names that a source in CUDA has without an include as well.
#ifndef KBENCH_EMULATION_CUDA_RUNTIME_H_
#define KBENCH_EMULATION_CUDA_RUNTIME_H_

#include <cuda_runtime_api.h>
#include <kbench_emulation_atomics.h>
#include <kbench_emulation_math.h>
#include <kbench_emulation_threads.h>
#include <math.h>    // names of the C library outside of std, too
#include <stdlib.h>  // like abs of long

#include <cassert>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>

#endif  // KBENCH_EMULATION_CUDA_RUNTIME_H_
