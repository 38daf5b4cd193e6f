// SPDX-License-Identifier: Apache-2.0
// Declarations that come before the names which src/emulate/translate.cpp takes away.
#include <kbench_emulation.h>
#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <cwchar>
#undef __REDIRECT
#undef __REDIRECT_NTH
#undef __REDIRECT_NTHNL
#define __builtin_memcpy memcpy
#define __builtin_memmove memmove
#define __builtin_memset memset
