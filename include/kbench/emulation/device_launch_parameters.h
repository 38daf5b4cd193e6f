// SPDX-License-Identifier: Apache-2.0
// threadIdx and its relatives.
#include <kbench_emulation.h>
