// Libraries that register nothing, each in another way.
#include <cstdlib>

#ifdef EXECUTORCH
namespace executorch::runtime {
int register_kernels();
}
[[maybe_unused]] const int registered = executorch::runtime::register_kernels();
#endif

#ifdef TORCH
namespace torch {
struct Library {
  void def();
};
}  // namespace torch
void define(torch::Library& library) { library.def(); }
#endif

#ifdef TVM_FFI
extern "C" int __tvm_ffi_my_add(void*, const void*, int, void*) { return 0; }
#endif

#ifdef NEEDS
extern int of_another_library;
int mine = of_another_library;
#endif

#ifdef CRASHES
[[maybe_unused]] const int crashed = (std::abort(), 0);
#endif

#ifdef EXITS
[[maybe_unused]] const int ended = (std::exit(0), 0);
#endif

#ifdef NOTHING
extern "C" int kbench_registered_kernel(unsigned long, const char**) { return 0; }
#endif
