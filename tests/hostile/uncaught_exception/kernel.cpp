// Lets a C++ exception out of the exported symbol.
#include <stdexcept>

#include "kbench_ffi.h"

extern "C" int __tvm_ffi_run(void*, const kbench::Any*, int32_t, kbench::Any*) {
  throw std::runtime_error("nobody caught this");
}
