// Says which operators are registered, before and after the second library's are.
#include <cstdio>

#include "kbench_registry.h"
#include "lib-two/Functions.h"
#include "lib-two/RegisterKernels.h"

namespace {

void say(const char* name) {
  std::printf("%s %d\n", name, kbench::kernels::registry_has_op_function(name));
}

}  // namespace

int main() {
  say("one::twice.out");
  say("two::half.out");
  if (torch::executor::register_lib_two_kernels() != kbench::kernels::Error::Ok) return 1;
  say("two::half.out");
  return 0;
}
