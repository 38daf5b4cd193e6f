// A thread of it goes on writing to the result that was returned.
#include <thread>

#include "returned.h"

extern "C" int __tvm_ffi_run(void*, const TVMFFIAny* args, int32_t, TVMFFIAny* result) {
  const Returned out = allocate(args[0]);
  right(view(args[0]), view(args[1]), out.view());
  std::thread([first = static_cast<volatile uint16_t*>(out.data())] {
    for (const uint16_t value = *first;;) *first = value;
  }).detach();
  return give(out, result);
}
