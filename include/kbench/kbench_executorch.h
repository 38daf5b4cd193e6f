// SPDX-License-Identifier: Apache-2.0
// Includes for sources of kernels that were written for ExecuTorch, where ExecuTorch is not there.
// The headers below executorch/ include it.
#ifndef KBENCH_EXECUTORCH_H_
#define KBENCH_EXECUTORCH_H_

#include "kbench_executorch_util.h"

#endif  // KBENCH_EXECUTORCH_H_
