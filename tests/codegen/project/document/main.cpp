// Says whether the operator of the library is registered when the program starts.
#include <cstdio>

#include "kbench_registry.h"

int main() {
  std::printf("%d\n", kbench::kernels::registry_has_op_function("one::twice.out"));
  return 0;
}
