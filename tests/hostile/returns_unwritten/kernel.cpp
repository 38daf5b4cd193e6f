// Returns what it allocated, the second half of it not written.
#include "returned.h"

extern "C" int __tvm_ffi_run(void*, const TVMFFIAny* args, int32_t, TVMFFIAny* result) {
  const kbench::Tensor x = view(args[0]);
  const Returned whole = allocate(args[0]), half = allocate(args[0]);
  right(x, view(args[1]), whole.view());
  std::memcpy(half.data(), whole.data(), static_cast<size_t>(x.numel()));
  TVMFFIObjectDecRef(whole.object);
  return give(half, result);
}
