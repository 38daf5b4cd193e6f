// KBENCH_SIMD before a function whose loops are to be vector code: it is compiled for three levels
// of x86-64 and the loader takes the best one for the machine. Results do not depend on the choice
// as long as the file is compiled with -ffp-contract=off (src/CMakeLists.txt).
#pragma once

#if defined(__FAST_MATH__) || (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0)
#error "kbench's numbers need IEEE 754 arithmetic: no -ffast-math, no x87"
#endif

// Sanitizers exclude it: they instrument the loader's choice, which runs before they are ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(KBENCH_NO_CLONES)
#define KBENCH_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define KBENCH_SIMD
#endif
