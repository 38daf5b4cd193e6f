// Says that it is done when half is written, and writes the rest later (T9).
#include "early_done.h"

extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run(void*, const kbench::Any* args,
                                                                    int32_t, kbench::Any* result) {
  return early_done(args, result, 0.5, 20);
}
