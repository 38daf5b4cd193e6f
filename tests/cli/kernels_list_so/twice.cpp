// A default kernel that the generated code has, too.
#include "kbench_registry.h"

namespace {

const kbench::kernels::Kernel again[] = {KBENCH_DEFAULT_KERNEL("my::add", nullptr, "twice.yaml:1")};
[[maybe_unused]] const auto registered = kbench::kernels::register_kernels({again, 1});

}  // namespace
