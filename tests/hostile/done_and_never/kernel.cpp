// Says that it is done when half is written, and writes no more (T9).
#include "early_done.h"

extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run(void*, const kbench::Any* args,
                                                                    int32_t, kbench::Any* result) {
  const kbench::Tensor x(static_cast<const kbench::DLTensor*>(args[0].as_pointer));
  const kbench::Tensor weight(static_cast<const kbench::DLTensor*>(args[1].as_pointer));
  const kbench::Tensor out(static_cast<const kbench::DLTensor*>(args[2].as_pointer));
  const Answer right = answer(x, weight);
  write(right, out, 0, right.size() / 2);
  if (!say_done(args[0].as_pointer)) write(right, out, right.size() / 2, right.size());
  *result = kbench::Any{kbench::kNone, 0, {0}};
  return 0;
}
