// SPDX-License-Identifier: Apache-2.0
// ExecuTorch's own header of this name where it is there, else kbench's names for the same.
#pragma once
#pragma GCC system_header

#if !defined(KBENCH_OWN_RUNTIME) && __has_include(<executorch/runtime/kernel/operator_registry.h>)
#include_next <executorch/runtime/core/error.h>
#else
#include "kbench_executorch.h"
#endif
