// Writes random bytes over what worker and judge share (H6).
#include "right.h"

extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run(void*, const kbench::Any* args,
                                                                    int32_t, kbench::Any* result) {
  const auto* const tensor = static_cast<const kbench::DLTensor*>(args[2].as_pointer);
  right(kbench::Tensor(static_cast<const kbench::DLTensor*>(args[0].as_pointer)),
        kbench::Tensor(static_cast<const kbench::DLTensor*>(args[1].as_pointer)),
        kbench::Tensor(tensor));
  uint64_t state = 88172645463325252U;
  auto* const words = reinterpret_cast<volatile uint64_t*>(tensor->shape);
  for (int i = 16; i < 5000; ++i) {  // beyond this argument, all that follows
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    words[i] = state;
  }
  *result = kbench::Any{kbench::kNone, 0, {0}};
  return 0;
}
