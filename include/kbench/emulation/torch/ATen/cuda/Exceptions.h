// SPDX-License-Identifier: Apache-2.0
// Stand-in for torch's header of this name.
#pragma once

#include <c10/cuda/CUDAException.h>

#define AT_CUDA_CHECK(EXPR) C10_CUDA_CHECK(EXPR)
