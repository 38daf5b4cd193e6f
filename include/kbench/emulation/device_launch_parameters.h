// SPDX-License-Identifier: Apache-2.0
// Declares threadIdx and its relatives.
#include <kbench_emulation.h>
