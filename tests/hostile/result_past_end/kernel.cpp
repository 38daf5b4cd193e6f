// Writes one element past the end of its result.
#include "returned.h"

extern "C" int __tvm_ffi_run(void*, const TVMFFIAny* args, int32_t, TVMFFIAny* result) {
  const Returned out = allocate(args[0]);
  right(view(args[0]), view(args[1]), out.view());
  static_cast<volatile uint16_t*>(out.data())[view(args[0]).numel()] = 0;
  return give(out, result);
}
