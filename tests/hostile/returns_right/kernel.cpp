// The right answer, returned.
#include "returned.h"

extern "C" int __tvm_ffi_run(void*, const TVMFFIAny* args, int32_t, TVMFFIAny* result) {
  const Returned out = allocate(args[0]);
  right(view(args[0]), view(args[1]), out.view());
  return give(out, result);
}
